(* What is not true.  Theorem 8 of Hu, Huang & Mehta (2021): RNM-FTNL with Lap(1/eps); Theorem 3 of Wu &
   Wang (2025) for exponential noise: with Exponential(1/eps).  For every eps > 0 there are two
   neighbouring tables of three rounds and two actions, and a sequence of reported actions that is
   more than exp(eps) times as likely on one as on the other.  The algorithm is that of NoisyMax.v, the
   epochs are of 1 and 2 rounds, and the probabilities are computed, not bounded.  Lemma B.2 of Tossou &
   Dimitrakakis (2016), privacy: a hybrid mechanism whose halves have the budget eps each; two tables of
   five rounds, two arms and a rule that chooses by released numbers show exp(2 eps). *)
From Coq Require Import Reals Lra List Arith FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
Require Trees.
Require Import Integral Book Lazy NoisyMax.
Import ListNotations.
Open Scope R_scope.

Definition pair (x y : R) : row := fun a => match a with O => x | S O => y | _ => 0 end.
Lemma pair_in_unit x y : 0 <= x <= 1 -> 0 <= y <= 1 -> in_unit (pair x y).
Proof. intros X Y [|[|a]]; simpl; lra. Qed.
(* Of rewards, the second round is (x, y) and the third (0, 1); of losses, the other way round. *)
Definition three (losses : bool) (x y : R) : table :=
  let u a b := if losses then pair b a else pair a b in [pair 0 0; u x y; u 0 1].
Definition sign (losses : bool) : R := if losses then -1 else 1.
Lemma neighbours losses : neighbour (three losses 1 0) (three losses 0 1).
Proof. constructor 2. destruct losses; constructor; apply pair_in_unit; lra. Qed.

(* Two actions: the chance of the first if the second has the sum s + d and it has s. *)
Definition behind (q : noise) (d : R) : R := integral (fun y => density q y * survival q (d + y)).
Lemma reports_two q s s' : reports q [s; s'] 0 = behind q (s' - s).
Proof.
unfold reports, behind, wins; simpl. apply f_equal, functional_extensionality. intros y.
replace (s' - s + y) with (s' + y - s) by ring. reflexivity.
Qed.

Local Arguments reports : simpl never.
Lemma run_of_three q losses x y :
  Pr (epochs q 2 (sign losses) (doubling_from 1 2) (three losses x y)) [[0%nat; 0%nat]] =
  behind q 0 * behind q (y + 1 - x).
Proof.
destruct losses; simpl; unfold sums; simpl; rewrite !reports_two.
- replace (-1 * (0 + 0) - -1 * (0 + 0)) with 0 by ring.
  replace (-1 * (x + (0 + 0)) - -1 * (y + (1 + 0))) with (y + 1 - x) by ring. ring.
- replace (1 * (0 + 0) - 1 * (0 + 0)) with 0 by ring.
  replace (1 * (y + (1 + 0)) - 1 * (x + (0 + 0))) with (y + 1 - x) by ring. ring.
Qed.

(* Exponential(b) *)
Lemma behind_exponential b (B : 0 < b) d : 0 <= d -> behind (exponential b B) d = exp (- (d / b)) / 2.
Proof.
intros D. apply integral_is.
- intros y. apply Rmult_le_pos; [apply (density_pos (exponential b B)) | apply (survival_range (exponential b B))].
- assert (0 < 2 / b) as T by (apply Rdiv_lt_0_compat; lra).
  apply line_join with 0 0 (exp (- (d / b)) / 2); [ring | |].
  + apply left_ext with (fun x => 0 * exp (1 * (x - 0))).
    * intros x X. simpl. unfold exponential_density. destruct (Rlt_dec x 0); lra.
    * pose proof (left_half 0 1 0 0 Rlt_0_1) as H.
      replace (0 / 1 * exp (1 * (0 - 0))) with 0 in H by (unfold Rdiv; ring). exact H.
  + apply right_ext with (fun x => exp (- (d / b)) / b * exp (- (2 / b * (x - 0)))).
    * intros x X. simpl. unfold exponential_density, exponential_survival.
      destruct (Rlt_dec x 0), (Rlt_dec (d + x) 0); try lra.
      unfold Rdiv. rewrite !(Rmult_comm (exp _)), !Rmult_assoc, <- !exp_plus. f_equal. f_equal. ring.
    * pose proof (right_half (exp (- (d / b)) / b) (2 / b) 0 0 T) as H.
      replace (exp (- (d / b)) / b / (2 / b) * exp (- (2 / b * (0 - 0)))) with (exp (- (d / b)) / 2) in H; [exact H|].
      replace (- (2 / b * (0 - 0))) with 0 by ring. rewrite exp_0. field. lra.
Qed.

Theorem exponential_1_is_not_enough losses eps (E : 0 < eps) (B : 0 < / eps) :
  let run t := Pr (epochs (exponential (/ eps) B) 2 (sign losses) (doubling_from 1 2) t) [[0%nat; 0%nat]] in
  neighbour (three losses 1 0) (three losses 0 1) /\
  run (three losses 1 0) = exp (2 * eps) * run (three losses 0 1) /\ run (three losses 1 0) > exp eps * run (three losses 0 1).
Proof.
intros run. split; [apply neighbours|].
assert (run (three losses 1 0) = 1 / 4) as P.
{ unfold run. rewrite run_of_three, !behind_exponential by lra.
  replace (0 + 1 - 1) with 0 by ring. unfold Rdiv. rewrite Rmult_0_l, Ropp_0, exp_0. lra. }
assert (run (three losses 0 1) = exp (- (2 * eps)) / 4) as Q.
{ unfold run. rewrite run_of_three, !behind_exponential by lra.
  replace (1 + 1 - 0) with 2 by ring. unfold Rdiv. rewrite Rinv_inv, Rmult_0_l, Ropp_0, exp_0 by lra. lra. }
rewrite P, Q. split.
- unfold Rdiv. rewrite <- Rmult_assoc, <- exp_plus. replace (2 * eps + - (2 * eps)) with 0 by ring. rewrite exp_0. reflexivity.
- unfold Rdiv. rewrite <- Rmult_assoc, <- exp_plus. assert (exp (eps + - (2 * eps)) < 1); [|lra].
  rewrite <- exp_0. apply exp_increasing. lra.
Qed.

(* Laplace(b) *)
Lemma behind_laplace b (B : 0 < b) d : 0 <= d ->
  behind (laplace b B) d = exp (- (d / b)) * (1 / 2 + d / (4 * b)).
Proof.
intros D. assert (0 < / b) as C by (apply Rinv_0_lt_compat, B). assert (0 < 2 / b) as T by (apply Rdiv_lt_0_compat; lra).
apply integral_is.
- intros y. apply Rmult_le_pos; [apply (density_pos (laplace b B)) | apply (survival_range (laplace b B))].
- apply line_join with (- d) (3 / 8 * exp (- (d / b))) (exp (- (d / b)) * (1 / 8 + d / (4 * b))); [field; lra | |].
  + pose proof (left_half (/ (2 * b)) (/ b) 0 (- d) C) as F.
    pose proof (left_half (exp (d / b) / (4 * b)) (2 / b) 0 (- d) T) as G.
    pose proof (is_RInt_gen_minus _ _ _ _ F G) as H.
    apply (left_ext _ (fun y => density (laplace b B) y * survival (laplace b B) (d + y))) in H.
    * unfold minus, plus, opp in H; simpl in H.
      match type of H with is_RInt_gen _ _ _ ?v => replace v with (3 / 8 * exp (- (d / b))) in H; [exact H|] end.
      replace (/ b * (- d - 0)) with (- (d / b)) by (field; lra).
      replace (exp (d / b) / (4 * b) / (2 / b) * exp (2 / b * (- d - 0)))
        with (/ 8 * (exp (d / b) * exp (2 / b * (- d - 0)))) by (field; lra).
      rewrite <- exp_plus. replace (d / b + 2 / b * (- d - 0)) with (- (d / b)) by (field; lra). field. lra.
    * intros x X. unfold minus, plus, opp; simpl. unfold laplace_survival, lap.
      destruct (Rlt_dec (d + x) 0); [|lra]. rewrite Rabs_left by lra.
      replace (exp (- (- (x - 0) / b))) with (exp (/ b * (x - 0))) by (f_equal; field; lra).
      replace (exp (d / b) / (4 * b) * exp (2 / b * (x - 0)))
        with (/ (4 * b) * (exp (d / b) * exp (2 / b * (x - 0)))) by (field; lra).
      replace (exp (d / b) * exp (2 / b * (x - 0))) with (exp (/ b * (x - 0)) * exp ((d + x) / b));
        [field; lra | rewrite <- !exp_plus; f_equal; field; lra].
  + apply right_join with 0 (d / (4 * b) * exp (- (d / b))) (exp (- (d / b)) / 8); [field; lra | |].
    * apply is_RInt_ext with (fun _ => exp (- (d / b)) / (4 * b)).
      -- intros x. rewrite Rmin_left, Rmax_right by lra. intros X. simpl. unfold laplace_survival, lap.
         destruct (Rlt_dec (d + x) 0); [lra|]. rewrite Rabs_left by lra.
         replace (exp (- (d / b))) with (exp (- (- (x - 0) / b)) * exp (- ((d + x) / b)));
           [field; lra | rewrite <- exp_plus; f_equal; field; lra].
      -- pose proof (is_RInt_const (- d) 0 (exp (- (d / b)) / (4 * b))) as H.
         unfold scal in H; simpl in H; unfold mult in H; simpl in H.
         replace ((0 - - d) * (exp (- (d / b)) / (4 * b))) with (d / (4 * b) * exp (- (d / b))) in H by (field; lra). exact H.
    * apply right_ext with (fun x => exp (- (d / b)) / (4 * b) * exp (- (2 / b * (x - 0)))).
      -- intros x X. simpl. unfold laplace_survival, lap.
         destruct (Rlt_dec (d + x) 0); [lra|]. rewrite Rabs_right by lra.
         replace (exp (- (d / b)) / (4 * b) * exp (- (2 / b * (x - 0))))
           with (/ (4 * b) * (exp (- (d / b)) * exp (- (2 / b * (x - 0))))) by (field; lra).
         replace (exp (- (d / b)) * exp (- (2 / b * (x - 0)))) with (exp (- ((x - 0) / b)) * exp (- ((d + x) / b)));
           [field; lra | rewrite <- !exp_plus; f_equal; field; lra].
      -- pose proof (right_half (exp (- (d / b)) / (4 * b)) (2 / b) 0 0 T) as H.
         replace (exp (- (d / b)) / (4 * b) / (2 / b) * exp (- (2 / b * (0 - 0)))) with (exp (- (d / b)) / 8) in H; [exact H|].
         replace (- (2 / b * (0 - 0))) with 0 by ring. rewrite exp_0. field. lra.
Qed.

Theorem laplace_1_is_not_enough losses eps (E : 0 < eps) (B : 0 < / eps) :
  let run t := Pr (epochs (laplace (/ eps) B) 2 (sign losses) (doubling_from 1 2) t) [[0%nat; 0%nat]] in
  neighbour (three losses 1 0) (three losses 0 1) /\ run (three losses 1 0) > exp eps * run (three losses 0 1).
Proof.
intros run. split; [apply neighbours|].
assert (run (three losses 1 0) = 1 / 4) as P.
{ unfold run. rewrite run_of_three, !behind_laplace by lra.
  replace (0 + 1 - 1) with 0 by ring. unfold Rdiv. rewrite !Rmult_0_l, Ropp_0, exp_0. lra. }
assert (run (three losses 0 1) = exp (- (2 * eps)) * (1 + eps) / 4) as Q.
{ unfold run. rewrite run_of_three, !behind_laplace by lra.
  replace (1 + 1 - 0) with 2 by ring. unfold Rdiv.
  rewrite Rinv_mult, Rinv_inv, !Rmult_0_l, Ropp_0, exp_0. lra. }
rewrite P, Q.
replace (exp eps * (exp (- (2 * eps)) * (1 + eps) / 4)) with ((1 + eps) * (exp eps * exp (- (2 * eps))) / 4) by field.
rewrite <- exp_plus. replace (eps + - (2 * eps)) with (- eps) by ring.
assert ((1 + eps) * exp (- eps) < 1); [|lra].
apply (Rmult_lt_reg_r (exp eps)); [apply exp_pos|]. rewrite Rmult_assoc, <- exp_plus.
replace (- eps + eps) with 0 by ring. rewrite exp_0. pose proof (exp_ineq1 eps). lra.
Qed.


(* The hybrid mechanism of Trees.v with eps for each half.  Four pulls of the first arm release two
   blocks, then a node and a block that both hold the third reward; where both are at least 1, the fifth
   pull is of the second arm. *)
Definition numbers (h : history) : list R :=
  flat_map (fun e => match snd e with Some y => [y] | None => [] end) h.
Definition rule (h : history) (a : nat) : R :=
  match numbers h with
  | [_; _; y; z] =>
      if Rle_dec 1 y then (if Rle_dec 1 z then (if Nat.eqb a 1 then 1 else 0) else if Nat.eqb a 0 then 1 else 0)
      else if Nat.eqb a 0 then 1 else 0
  | _ => if Nat.eqb a 0 then 1 else 0
  end.
Definition five (x : R) : table := [pair 0 0; pair 0 0; pair x 0; pair 0 0; pair 0 0].
Lemma rule_chances h a : 0 <= rule h a <= 1.
Proof.
unfold rule. destruct (numbers h) as [|? [|? [|y [|z [|]]]]]; try (destruct (Nat.eqb a 0); lra).
destruct (Rle_dec 1 y), (Rle_dec 1 z), (Nat.eqb a 0), (Nat.eqb a 1); lra.
Qed.

Lemma integral_same f g : (forall y, f y = g y) -> integral f = integral g.
Proof. intros E. apply f_equal, functional_extensionality, E. Qed.
Lemma weigh b s c : 0 < b -> 0 <= c -> integral (fun y => lap b s y * c) = c.
Proof.
intros B C. rewrite (integral_same _ (fun y => c * lap b s y)) by (intros; ring).
rewrite integral_scale, integral_lap; trivial; [ring | intros; left; apply lap_pos, B|].
exists 1, b, s. repeat split; trivial; intros; lra.
Qed.
Lemma beyond b s c : 0 < b -> s <= 1 -> 0 <= c ->
  integral (fun y => lap b s y * (if Rle_dec 1 y then c else 0)) = c * (exp (- ((1 - s) / b)) / 2).
Proof.
intros B S C. apply integral_is.
- intros y. pose proof (lap_pos b s y B). destruct (Rle_dec 1 y); nra.
- apply line_join with 1 0 (c * (exp (- ((1 - s) / b)) / 2)); [ring | |].
  + apply left_ext with (fun x => 0 * exp (1 * (x - 0))).
    * intros x X. destruct (Rle_dec 1 x); [lra|ring].
    * pose proof (left_half 0 1 0 1 Rlt_0_1) as H.
      replace (0 / 1 * exp (1 * (1 - 0))) with 0 in H by (unfold Rdiv; ring). exact H.
  + apply right_ext with (fun x => c / (2 * b) * exp (- (/ b * (x - s)))).
    * intros x X. destruct (Rle_dec 1 x); [|lra]. unfold lap. rewrite Rabs_right by lra.
      replace (- ((x - s) / b)) with (- (/ b * (x - s))) by (unfold Rdiv; ring). field. lra.
    * pose proof (right_half (c / (2 * b)) (/ b) s 1 (Rinv_0_lt_compat b B)) as H.
      replace (c / (2 * b) / / b * exp (- (/ b * (1 - s)))) with (c * (exp (- ((1 - s) / b)) / 2)) in H; [exact H|].
      replace (- (/ b * (1 - s))) with (- ((1 - s) / b)) by (unfold Rdiv; ring). field. lra.
Qed.
Lemma hybrid_run eps x : 0 < eps -> x <= 1 ->
  P (Trees.run rule (Trees.hybrid 0 eps 1) (five x)) [0; 0; 0; 0; 1]%nat = exp (- (2 * eps * (1 - x))) / 4.
Proof.
intros E X. assert (0 < / eps) as B by (apply Rinv_0_lt_compat, E).
unfold Trees.run, five, Trees.hybrid, Trees.both, Trees.inners, Trees.blocks, Trees.inner, Trees.both, Trees.completes.
cbn -[lap integral Rmult Rplus Rinv Rdiv rule INR Rle_dec].
unfold rule. cbn -[lap integral Rmult Rplus Rinv Rdiv INR Rle_dec].
replace (INR 1 / eps) with (/ eps) by (simpl; field; lra).
replace (x + (0 + 0)) with x by ring. replace (x + 0) with x by ring.
set (q := exp (- ((1 - x) / / eps)) / 2). assert (0 < exp (- ((1 - x) / / eps))) as Q by apply exp_pos.
assert (0 <= q) as Q' by (unfold q; lra).
rewrite (weigh _ _ 1 B) by lra.
rewrite (integral_same _ (fun y => lap (/ eps) (0 + 0) y * (q * q))).
- rewrite weigh by (trivial; nra). unfold q. rewrite Rmult_1_l.
  replace (exp (- ((1 - x) / / eps)) / 2 * (exp (- ((1 - x) / / eps)) / 2))
    with (exp (- ((1 - x) / / eps)) * exp (- ((1 - x) / / eps)) / 4) by field.
  rewrite <- exp_plus. f_equal. f_equal. unfold Rdiv. rewrite Rinv_inv by lra. ring.
- intros y. f_equal. rewrite Rmult_1_l.
  rewrite (integral_same _ (fun y => lap (/ eps) (0 + 0) y * (q * q))); [apply weigh; trivial; nra|].
  intros z. f_equal. rewrite Rmult_1_l.
  rewrite (integral_same _ (fun y => lap (/ eps) x y * (if Rle_dec 1 y then q else 0))); [apply beyond; trivial|].
  intros v. f_equal. rewrite Rmult_1_l.
  destruct (Rle_dec 1 v).
  + rewrite (integral_same _ (fun y => lap (/ eps) x y * (if Rle_dec 1 y then 1 else 0))).
    * rewrite beyond by (trivial; lra). unfold q. ring.
    * intros w. ring.
  + rewrite (integral_same _ (fun y => lap (/ eps) x y * 0)); [apply weigh; trivial; lra|]. intros w. ring.
Qed.
Theorem hybrid_without_composition eps : 0 < eps ->
  let run x := Pr (Trees.run rule (Trees.hybrid 0 eps 1) (five x)) [[0; 0; 0; 0; 1]%nat] in
  (forall h a, 0 <= rule h a <= 1) /\ neighbour (five 1) (five 0) /\
  run 1 = exp (2 * eps) * run 0 /\ run 1 > exp eps * run 0.
Proof.
intros E run. split; [apply rule_chances|]. split.
{ constructor 2. constructor 2. constructor; apply pair_in_unit; lra. }
assert (run 1 = 1 / 4) as A.
{ unfold run; cbn [Pr]. rewrite hybrid_run by lra. replace (- (2 * eps * (1 - 1))) with 0 by ring. rewrite exp_0. lra. }
assert (run 0 = exp (- (2 * eps)) / 4) as B.
{ unfold run; cbn [Pr]. rewrite hybrid_run by lra. replace (2 * eps * (1 - 0)) with (2 * eps) by ring. lra. }
rewrite A, B. split.
- replace (exp (2 * eps) * (exp (- (2 * eps)) / 4)) with (exp (2 * eps) * exp (- (2 * eps)) / 4) by field.
  rewrite <- exp_plus. replace (2 * eps + - (2 * eps)) with 0 by ring. rewrite exp_0. reflexivity.
- replace (exp eps * (exp (- (2 * eps)) / 4)) with (exp eps * exp (- (2 * eps)) / 4) by field.
  rewrite <- exp_plus. assert (exp (eps + - (2 * eps)) < 1); [|lra]. rewrite <- exp_0. apply exp_increasing. lra.
Qed.
