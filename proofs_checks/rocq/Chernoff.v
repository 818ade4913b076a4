(* Fact 17 of Hu, Huang & Mehta (2021), the Chernoff-Hoeffding bound: n independent variables with values 0 and
   1, each with a chance of its own, whose mean has the expectation mu: their mean is mu + lambda or more
   with probability at most exp(-n d(mu + lambda, mu)) (14), and mu - lambda or less with probability at most
   exp(-n d(mu - lambda, mu)), d(x, y) = x ln(x/y) + (1 - x) ln((1 - x)/(1 - y)).  As (15) is printed, with
   "mu - lambda or more", it is false: of one variable that is 1 with probability 9/10.

   Modelled: laws as in Facts.v. *)
From Coq Require Import Reals Lra List.
Require Import Integral Book Facts.
Import ListNotations.
Open Scope R_scope.

Definition coin (p : R) : law := [(1 - p, 0); (p, 1)].
Definition chances (ps : list R) := forall p, In p ps -> 0 <= p <= 1.
Fixpoint total (ps : list R) : R := match ps with [] => 0 | p :: rest => p + total rest end.
Definition d (x y : R) : R := x * ln (x / y) + (1 - x) * ln ((1 - x) / (1 - y)).
(* The law of the sum of the variables; an event is about their mean. *)
Definition tosses (ps : list R) : law := sum_of (map coin ps).

Lemma ln_quotient x y : 0 < x -> 0 < y -> ln (x / y) = ln x - ln y.
Proof. intros. unfold Rdiv. rewrite ln_mult, ln_Rinv by auto using Rinv_0_lt_compat. reflexivity. Qed.

Lemma coin_in_unit p : 0 <= p <= 1 -> in_unit_law (coin p).
Proof.
intros P. split; [|simpl; ring]. intros q x [H|[H|[]]]; injection H as <- <-; lra.
Qed.
Lemma coins_in_unit ps : chances ps -> forall l, In l (map coin ps) -> in_unit_law l.
Proof. intros C l H. apply in_map_iff in H. destruct H as [p [<- I]]. apply coin_in_unit, C, I. Qed.

(* The logarithm is below its tangents. *)
Lemma moments_of_tosses ps t a : chances ps -> 0 < 1 - a + a * exp t ->
  expect (fun x => exp (t * x)) (tosses ps) <=
  (1 - a + a * exp t) ^ length ps * exp ((total ps - INR (length ps) * a) * ((exp t - 1) / (1 - a + a * exp t))).
Proof.
intros C. set (A := 1 - a + a * exp t). intros P. unfold tosses. induction ps as [|p ps IH].
- simpl. replace ((0 - 0 * a) * ((exp t - 1) / A)) with 0 by ring. rewrite Rmult_0_r, exp_0. lra.
- assert (chances ps) as C' by (intros q Q; apply C; right; trivial). specialize (IH C').
  assert (0 <= p <= 1) as Q by (apply C; left; reflexivity). pose proof (exp_pos t) as T.
  cbn [map sum_of length total pow]. rewrite exp_plus_law, S_INR.
  replace ((p + total ps - (INR (length ps) + 1) * a) * ((exp t - 1) / A))
    with ((p - a) * ((exp t - 1) / A) + (total ps - INR (length ps) * a) * ((exp t - 1) / A)) by ring.
  rewrite exp_plus.
  replace (A * A ^ length ps * (exp ((p - a) * ((exp t - 1) / A)) * exp ((total ps - INR (length ps) * a) * ((exp t - 1) / A))))
    with ((A * exp ((p - a) * ((exp t - 1) / A))) * (A ^ length ps * exp ((total ps - INR (length ps) * a) * ((exp t - 1) / A)))) by ring.
  assert (expect (fun x => exp (t * x)) (coin p) = 1 - p + p * exp t) as E.
  { simpl. rewrite Rmult_0_r, Rmult_1_r, exp_0. ring. }
  apply Rmult_le_compat; trivial.
  + rewrite E. assert (0 <= p * exp t) by (apply Rmult_le_pos; lra). lra.
  + rewrite <- (Rmult_0_l (expect (fun _ => 1) (sum_of (map coin ps)))), <- expect_scale.
    apply expect_le; [apply weights_pos, coins_in_unit, C'|]. intros. pose proof (exp_pos (t * x)). lra.
  + rewrite E. pose proof (exp_ineq1_le ((p - a) * ((exp t - 1) / A))) as L.
    apply Rle_trans with (A * (1 + (p - a) * ((exp t - 1) / A))); [|apply Rmult_le_compat_l; lra].
    right. unfold A. field. fold A. lra.
Qed.

Theorem fact_17_upper ps lambda : chances ps -> (0 < length ps)%nat ->
  let n := INR (length ps) in let mu := total ps / n in
  0 < mu -> 0 < lambda < 1 - mu ->
  chance (fun x => at_least (mu + lambda) (x / n)) (tosses ps) <= exp (- (n * d (mu + lambda) mu)).
Proof.
intros C L n mu M Lam. assert (0 < n) as N by (apply lt_0_INR, L).
set (x := mu + lambda). assert (0 < x < 1 /\ mu < x) as [X Y] by (unfold x; lra).
set (z := x * (1 - mu) / (mu * (1 - x))). assert (0 < mu * (1 - x)) as D by (apply Rmult_lt_0_compat; lra).
assert (1 <= z) as Z.
{ unfold z. apply (Rmult_le_reg_r (mu * (1 - x))); trivial.
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. lra. }
set (t := ln z). assert (exp t = z) as T by (apply exp_ln; lra).
assert (0 <= t) as T0 by (unfold t; rewrite <- ln_1; destruct Z as [Z|<-]; [left; apply ln_increasing; lra | lra]).
assert (1 - mu + mu * exp t = (1 - mu) / (1 - x)) as A by (rewrite T; unfold z; field; lra).
assert (0 < (1 - mu) / (1 - x)) as A0 by (apply Rdiv_lt_0_compat; lra).
pose proof (moments_of_tosses ps t mu C) as B. rewrite A in B. specialize (B A0). fold n in B.
replace (total ps - n * mu) with 0 in B by (unfold mu; field; lra). rewrite Rmult_0_l, exp_0, Rmult_1_r in B.
apply Rle_trans with (expect (fun y => exp (- (t * (n * x))) * exp (t * y)) (tosses ps)).
- apply expect_le; [apply weights_pos, coins_in_unit, C|]. intros p y _. unfold at_least. destruct Rle_dec as [H|H].
  + rewrite <- exp_plus. apply exp_ge_1. apply (Rmult_le_compat_l n) in H; [|lra].
    replace (n * (y / n)) with y in H by (field; lra). nra.
  + left. apply Rmult_lt_0_compat; apply exp_pos.
- rewrite expect_scale. apply Rle_trans with (exp (- (t * (n * x))) * ((1 - mu) / (1 - x)) ^ length ps).
  + apply Rmult_le_compat_l; [left; apply exp_pos | exact B].
  + rewrite <- (exp_ln (((1 - mu) / (1 - x)) ^ length ps)) by (apply pow_lt; trivial).
    rewrite ln_pow by trivial. rewrite <- exp_plus. right. f_equal. fold n. unfold t, z, d.
    rewrite (ln_quotient (x * (1 - mu))), (ln_quotient (1 - mu)), (ln_quotient x), (ln_quotient (1 - x)), !ln_mult by (first [lra | apply Rmult_lt_0_compat; lra]). ring.
Qed.

(* The other side: 1 - X in place of X. *)
Lemma mirrored_tosses f ps : expect f (tosses (map (fun p => 1 - p) ps)) = expect (fun x => f (INR (length ps) - x)) (tosses ps).
Proof.
unfold tosses. rewrite <- (map_length coin), <- mirrored_sum. revert f.
induction ps as [|p ps IH]; intros f; [reflexivity|]. cbn [map sum_of]. rewrite !expect_plus_law.
simpl. rewrite !IH. replace (1 - (1 - p)) with p by ring. replace (1 - 0) with 1 by ring. replace (1 - 1) with 0 by ring. ring.
Qed.
Theorem fact_17_lower ps lambda : chances ps -> (0 < length ps)%nat ->
  let n := INR (length ps) in let mu := total ps / n in
  mu < 1 -> 0 < lambda < mu ->
  chance (fun x => at_most (mu - lambda) (x / n)) (tosses ps) <= exp (- (n * d (mu - lambda) mu)).
Proof.
intros C L n mu M Lam. assert (0 < n) as N by (apply lt_0_INR, L).
assert (chances (map (fun p => 1 - p) ps)) as C'.
{ intros q Q. apply in_map_iff in Q. destruct Q as [p [<- I]]. specialize (C p I). lra. }
pose proof (fact_17_upper (map (fun p => 1 - p) ps) lambda C') as H. rewrite map_length in H. specialize (H L). fold n in H.
assert (total (map (fun p => 1 - p) ps) = n - total ps) as T.
{ unfold n. clear. induction ps as [|p ps IH]; [simpl; ring|]. cbn [map total length]. rewrite IH, S_INR. ring. }
cbv zeta in H. rewrite T in H. replace ((n - total ps) / n) with (1 - mu) in H by (unfold mu; field; lra).
specialize (H ltac:(lra) ltac:(lra)). unfold chance in H. rewrite mirrored_tosses in H. fold n in H.
replace (d (1 - mu + lambda) (1 - mu)) with (d (mu - lambda) mu) in H.
- eapply Rle_trans; [right|exact H]. apply expect_same. intros x. unfold at_least, at_most.
  assert ((n - x) / n = 1 - x / n) as E by (field; lra). rewrite E.
  destruct (Rle_dec (x / n) (mu - lambda)), (Rle_dec (1 - mu + lambda) (1 - x / n)); try reflexivity; lra.
- unfold d. replace (1 - (1 - mu + lambda)) with (mu - lambda) by ring. replace (1 - (1 - mu)) with mu by ring.
  replace (1 - (mu - lambda)) with (1 - mu + lambda) by ring. ring.
Qed.

(* (15) as it is printed is false, of n = 1, mu = 9/10, lambda = 2/5; as it is meant it holds. *)
Definition printed_15 (ps : list R) (lambda : R) : Prop :=
  let n := INR (length ps) in let mu := total ps / n in
  chance (fun x => at_least (mu - lambda) (x / n)) (tosses ps) <= exp (- (n * d (mu - lambda) mu)).
Theorem fact_17_as_printed_and_as_meant :
  chances [9 / 10] /\ ~ printed_15 [9 / 10] (2 / 5) /\
  forall ps lambda, chances ps -> (0 < length ps)%nat ->
  let n := INR (length ps) in let mu := total ps / n in
  mu < 1 -> 0 < lambda < mu ->
  chance (fun x => at_most (mu - lambda) (x / n)) (tosses ps) <= exp (- (n * d (mu - lambda) mu)).
Proof.
split; [intros p [<-|[]]; lra|]. split; [|exact fact_17_lower].
unfold printed_15. simpl length. simpl INR. simpl total.
replace ((9 / 10 + 0) / 1) with (9 / 10) by field.
assert (chance (fun x => at_least (9 / 10 - 2 / 5) (x / 1)) (tosses [9 / 10]) = 9 / 10) as P.
{ unfold chance, tosses, at_least. simpl. repeat destruct Rle_dec; lra. }
assert (exp (- (1 * d (9 / 10 - 2 / 5) (9 / 10))) = 3 / 5) as Q.
{ rewrite <- (exp_ln (3 / 5)) by lra. f_equal. unfold d.
  replace (9 / 10 - 2 / 5) with (1 / 2) by field. replace (1 - 1 / 2) with (1 / 2) by field. replace (1 - 9 / 10) with (1 / 10) by field.
  replace (1 / 2 / (9 / 10)) with (5 / 9) by field. replace (1 / 2 / (1 / 10)) with 5 by field.
  assert (ln (5 / 9) + ln 5 = - (2 * ln (3 / 5))) as E; [|lra].
  rewrite !ln_quotient by lra. replace 9 with (3 * 3) by ring. rewrite ln_mult by lra. ring. }
rewrite P, Q. lra.
Qed.
