(* The facts that the papers borrow.  Hoeffding's inequality (Fact 15 of Hu, Huang & Mehta 2021, Fact A.2 of
   Hu et al. 2025, Lemma 16 of Wu & Wang 2025): a sum of n independent variables with values in [0, 1]
   exceeds its mean by a or more with probability at most exp(-2 a^2 / n), on either side.  The
   density and the tail of Laplace noise (Facts 14 and 16; Fact B.2 of Tossou & Dimitrakakis 2016): |Lap(b)| exceeds b ln(1/delta) with
   probability delta exactly.

   Modelled: variables with finitely many values, as lists of probabilities and values; independent
   ones by the law of their sum, the list of all combinations.  Not modelled: variables with a
   continuous law (the bound on moments is the same, the sums would be integrals). *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
Require Import Integral Book NoisyMax.
Import ListNotations.
Open Scope R_scope.

(* A law: probabilities and values. *)
Definition law := list (R * R).
Fixpoint expect (f : R -> R) (l : law) : R := match l with [] => 0 | (p, x) :: rest => p * f x + expect f rest end.
Definition mean (l : law) := expect (fun x => x) l.
Definition in_unit_law (l : law) := (forall p x, In (p, x) l -> 0 <= p /\ 0 <= x <= 1) /\ expect (fun _ => 1) l = 1.
Definition shifted (q y : R) (l : law) : law := map (fun px => (q * fst px, y + snd px)) l.
Fixpoint plus_law (l m : law) : law := match l with [] => [] | (p, x) :: rest => shifted p x m ++ plus_law rest m end.
Fixpoint sum_of (ls : list law) : law := match ls with [] => [(1, 0)] | l :: rest => plus_law l (sum_of rest) end.
Fixpoint means (ls : list law) : R := match ls with [] => 0 | l :: rest => mean l + means rest end.
Definition chance (event : R -> bool) (l : law) : R := expect (fun x => if event x then 1 else 0) l.
Definition at_least (a x : R) : bool := if Rle_dec a x then true else false.
Definition at_most (a x : R) : bool := if Rle_dec x a then true else false.

Lemma expect_app f l m : expect f (l ++ m) = expect f l + expect f m.
Proof. induction l as [|[p x] l IH]; simpl; [ring | rewrite IH; ring]. Qed.
Lemma expect_le f g l : (forall p x, In (p, x) l -> 0 <= p) -> (forall p x, In (p, x) l -> f x <= g x) -> expect f l <= expect g l.
Proof.
induction l as [|[p x] l IH]; intros P L; simpl; [lra|]. apply Rplus_le_compat.
- apply Rmult_le_compat_l; [apply (P p x); left; trivial | apply (L p x); left; trivial].
- apply IH; intros; [eapply P | eapply L]; right; eassumption.
Qed.
Lemma expect_scale c f l : expect (fun x => c * f x) l = c * expect f l.
Proof. induction l as [|[p x] l IH]; simpl; [ring | rewrite IH; ring]. Qed.
Lemma expect_affine a b l : expect (fun x => a + b * x) l = a * expect (fun _ => 1) l + b * mean l.
Proof. unfold mean. induction l as [|[p x] l IH]; simpl; [ring | rewrite IH; ring]. Qed.
Lemma exp_shifted t q y l : expect (fun x => exp (t * x)) (shifted q y l) = q * exp (t * y) * expect (fun x => exp (t * x)) l.
Proof.
induction l as [|[p x] l IH]; simpl; [ring|]. rewrite IH, Rmult_plus_distr_l, exp_plus. ring.
Qed.
Lemma exp_plus_law t l m : expect (fun x => exp (t * x)) (plus_law l m) =
  expect (fun x => exp (t * x)) l * expect (fun x => exp (t * x)) m.
Proof. induction l as [|[p x] l IH]; simpl; [ring|]. rewrite expect_app, exp_shifted, IH. ring. Qed.
Lemma weights_pos ls : (forall l, In l ls -> in_unit_law l) -> forall p x, In (p, x) (sum_of ls) -> 0 <= p.
Proof.
induction ls as [|l ls IH]; intros U p x; simpl; [intros [E|[]]; injection E; lra|].
assert (forall q y, In (q, y) l -> 0 <= q) as Q by (intros q y I; apply (proj1 (U l (or_introl eq_refl)) q y I)).
assert (forall q y, In (q, y) (sum_of ls) -> 0 <= q) as S by (intros; eapply IH; [intros; apply U; right|]; eassumption).
clear IH U. induction l as [|[q y] l I]; simpl; [contradiction|]. intros H. apply in_app_or in H. destruct H as [H|H].
- unfold shifted in H. apply in_map_iff in H. destruct H as [[r z] [E J]]. injection E as <- <-.
  apply Rmult_le_pos; [apply (Q q y); left; trivial | apply (S r z J)].
- apply I; trivial. intros; eapply Q; right; eassumption.
Qed.

(* A function with f 0 = 0 and f' >= 0 on [0, oo) is not negative there. *)
Lemma grows (f f' : R -> R) : (forall x, 0 <= x -> is_derive f x (f' x)) -> (forall x, 0 <= x -> 0 <= f' x) ->
  f 0 = 0 -> forall x, 0 <= x -> 0 <= f x.
Proof.
intros D P Z x X. destruct (Req_dec 0 x) as [<-|N]; [lra|].
destruct (MVT_gen f 0 x f') as [c [C E]].
- intros y Y. rewrite Rmin_left in Y by lra. apply D. lra.
- intros y Y. rewrite Rmin_left, Rmax_right in Y by lra. apply derivable_continuous_pt. exists (f' y). apply is_derive_Reals, D. lra.
- rewrite Rmin_left, Rmax_right in C by lra. specialize (P c). assert (0 <= f' c * (x - 0)) by (apply Rmult_le_pos; [apply P|]; lra). lra.
Qed.
Lemma quarter p t : 0 <= p <= 1 ->
  p * exp t * (1 - p) / (1 - p + p * exp t) ^ 2 <= 1 / 4.
Proof.
intros P. pose proof (exp_pos t). set (y := p * exp t). assert (0 <= y) by (apply Rmult_le_pos; lra).
assert (0 < 1 - p + y). { destruct (Req_dec p 1) as [->|]; [unfold y|]; lra. }
apply (Rmult_le_reg_r ((1 - p + y) ^ 2)); [apply pow_lt; trivial|].
unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by (apply Rgt_not_eq, pow_lt; trivial).
pose proof (pow2_ge_0 (1 - p - y)). simpl in *. lra.
Qed.
Lemma hoeffding_two_points p t : 0 <= p <= 1 -> 0 <= t -> 1 - p + p * exp t <= exp (p * t + t ^ 2 / 8).
Proof.
intros P T.
assert (forall x, 0 < 1 - p + p * exp x) as Q.
{ intros x. pose proof (exp_pos x). destruct (Req_dec p 1) as [->|]; [lra|].
  assert (0 <= p * exp x) by (apply Rmult_le_pos; lra). lra. }
assert (forall x, 0 <= x -> 0 <= p + x / 4 - p * exp x / (1 - p + p * exp x)) as G.
{ apply (grows (fun x => p + x / 4 - p * exp x / (1 - p + p * exp x))
    (fun x => 1 / 4 - p * exp x * (1 - p) / (1 - p + p * exp x) ^ 2)).
  - intros x _. specialize (Q x). auto_derive; [lra|]. field. lra.
  - intros x _. pose proof (quarter p x P). lra.
  - rewrite exp_0. field. lra. }
assert (forall x, 0 <= x -> 0 <= p * x + x ^ 2 / 8 - ln (1 - p + p * exp x)) as H.
{ apply (grows _ (fun x => p + x / 4 - p * exp x / (1 - p + p * exp x))); trivial.
  - intros x _. specialize (Q x). auto_derive; [exact Q|]. field. lra.
  - rewrite exp_0. replace (1 - p + p * 1) with 1 by ring. rewrite ln_1. field. }
specialize (H t T). rewrite <- (exp_ln (1 - p + p * exp t)) by apply Q. apply exp_le. lra.
Qed.
(* e^(t x) <= 1 - x + x e^t on [0, 1] *)
Lemma below_chord t x : 0 <= t -> 0 <= x <= 1 -> exp (t * x) <= 1 + (exp t - 1) * x.
Proof.
intros T X.
assert (forall s, 0 <= s -> 0 <= 1 + (exp s - 1) * x - exp (s * x)) as H; [|specialize (H t T); lra].
apply (grows _ (fun s => x * (exp s - exp (s * x)))).
- intros s _. auto_derive; [trivial|]. ring.
- intros s S. apply Rmult_le_pos; [lra|]. assert (exp (s * x) <= exp s); [apply exp_le; nra | lra].
- rewrite Rmult_0_l, exp_0. ring.
Qed.
Theorem hoeffding_lemma l t : in_unit_law l -> 0 <= t -> expect (fun x => exp (t * x)) l <= exp (t * mean l + t ^ 2 / 8).
Proof.
intros [U M] T.
assert (0 <= mean l <= 1) as P.
{ unfold mean. split.
  - rewrite <- (Rmult_0_l (expect (fun _ => 1) l)), <- expect_scale. apply expect_le; intros p x I; destruct (U p x I); lra.
  - rewrite <- M. apply expect_le; intros p x I; destruct (U p x I); lra. }
apply Rle_trans with (expect (fun x => 1 + (exp t - 1) * x) l).
- apply expect_le; intros p x I; destruct (U p x I); trivial. apply below_chord; trivial.
- rewrite expect_affine, M. pose proof (hoeffding_two_points (mean l) t P T).
  replace (t * mean l) with (mean l * t) by ring. lra.
Qed.
Lemma moments ls t : (forall l, In l ls -> in_unit_law l) -> 0 <= t ->
  expect (fun x => exp (t * x)) (sum_of ls) <= exp (t * means ls + INR (length ls) * (t ^ 2 / 8)).
Proof.
intros U T. induction ls as [|l ls IH].
- simpl. replace (t * 0 + 0 * (t * (t * 1) / 8)) with (t * 0) by field. lra.
- cbn [sum_of means length]. rewrite exp_plus_law, S_INR.
  replace (t * (mean l + means ls) + (INR (length ls) + 1) * (t ^ 2 / 8))
    with ((t * mean l + t ^ 2 / 8) + (t * means ls + INR (length ls) * (t ^ 2 / 8))) by ring.
  rewrite exp_plus.
  assert (forall m, (forall p x, In (p, x) m -> 0 <= p) -> 0 <= expect (fun x => exp (t * x)) m) as Z.
  { intros m Q. rewrite <- (Rmult_0_l (expect (fun _ => 1) m)), <- expect_scale. apply expect_le; trivial.
    intros. pose proof (exp_pos (t * x)). lra. }
  apply Rmult_le_compat.
  + apply Z. intros p x I. apply (proj1 (U l (or_introl eq_refl)) p x I).
  + apply Z. apply weights_pos. intros; apply U; right; trivial.
  + apply hoeffding_lemma; trivial. apply U; left; trivial.
  + apply IH. intros; apply U; right; trivial.
Qed.
Theorem hoeffding_above ls a : (forall l, In l ls -> in_unit_law l) -> (0 < length ls)%nat -> 0 <= a ->
  chance (at_least (means ls + a)) (sum_of ls) <= exp (- (2 * a ^ 2 / INR (length ls))).
Proof.
intros U N A. assert (0 < INR (length ls)) as Q by (apply lt_0_INR; trivial). set (n := INR (length ls)) in *.
set (t := 4 * a / n). assert (0 <= t) as T by (apply Rdiv_le_0_compat; lra).
apply Rle_trans with (expect (fun x => exp (- (t * (means ls + a))) * exp (t * x)) (sum_of ls)).
- apply expect_le; [apply weights_pos, U|]. intros p x _. unfold at_least. destruct Rle_dec.
  + rewrite <- exp_plus. apply exp_ge_1. nra.
  + left. apply Rmult_lt_0_compat; apply exp_pos.
- rewrite expect_scale. pose proof (moments ls t U T) as M. fold n in M.
  apply Rle_trans with (exp (- (t * (means ls + a))) * exp (t * means ls + n * (t ^ 2 / 8))).
  + apply Rmult_le_compat_l; [left; apply exp_pos | exact M].
  + rewrite <- exp_plus. right. f_equal. unfold t. field. lra.
Qed.

(* The other side: 1 - X in place of X. *)
Definition mirrored (l : law) : law := map (fun px => (fst px, 1 - snd px)) l.
Lemma expect_mirrored f l : expect f (mirrored l) = expect (fun x => f (1 - x)) l.
Proof. induction l as [|[p x] l IH]; simpl; [ring | rewrite IH; ring]. Qed.
Lemma mirrored_in_unit l : in_unit_law l -> in_unit_law (mirrored l).
Proof.
intros [U M]. split; [|rewrite expect_mirrored; exact M]. intros p x H. unfold mirrored in H.
apply in_map_iff in H. destruct H as [[q y] [E I]]. injection E as <- <-. destruct (U q y I). simpl. lra.
Qed.
Lemma mirrored_mean l : in_unit_law l -> mean (mirrored l) = 1 - mean l.
Proof.
intros [_ M]. unfold mean at 1. rewrite expect_mirrored. rewrite <- M at 1.
rewrite <- (Rmult_1_l (expect (fun _ => 1) l)). replace (1 * expect (fun _ => 1) l - mean l) with (1 * expect (fun _ => 1) l + -1 * mean l) by ring.
rewrite <- expect_affine. clear M. induction l as [|[p x] l IH]; simpl; [ring | rewrite IH; ring].
Qed.
Lemma expect_shifted f q y l : expect f (shifted q y l) = q * expect (fun x => f (y + x)) l.
Proof. induction l as [|[p x] l IH]; simpl; [ring | rewrite IH; ring]. Qed.
Lemma expect_plus_law f l m : expect f (plus_law l m) = expect (fun x => expect (fun y => f (x + y)) m) l.
Proof. induction l as [|[p x] l IH]; simpl; [ring | rewrite expect_app, expect_shifted, IH; ring]. Qed.
Lemma expect_same f g l : (forall x, f x = g x) -> expect f l = expect g l.
Proof. intros E. induction l as [|[p x] l IH]; simpl; [ring | rewrite IH, E; ring]. Qed.
Lemma mirrored_sum ls : forall f, expect f (sum_of (map mirrored ls)) = expect (fun x => f (INR (length ls) - x)) (sum_of ls).
Proof.
induction ls as [|l ls IH]; intros f.
- simpl. replace (0 - 0) with 0 by ring. ring.
- cbn [map sum_of length]. rewrite !expect_plus_law, expect_mirrored. apply expect_same. intros x.
  rewrite IH. apply expect_same. intros y. rewrite S_INR. f_equal. ring.
Qed.
Theorem hoeffding_below ls a : (forall l, In l ls -> in_unit_law l) -> (0 < length ls)%nat -> 0 <= a ->
  chance (at_most (means ls - a)) (sum_of ls) <= exp (- (2 * a ^ 2 / INR (length ls))).
Proof.
intros U N A.
assert (forall l, In l (map mirrored ls) -> in_unit_law l) as V.
{ intros l H. apply in_map_iff in H. destruct H as [m [<- I]]. apply mirrored_in_unit, U, I. }
pose proof (hoeffding_above (map mirrored ls) a V) as H. rewrite map_length in H. specialize (H N A).
assert (means (map mirrored ls) = INR (length ls) - means ls) as M.
{ clear -U. induction ls as [|l ls IH]; [simpl; ring|]. cbn [map means length].
  rewrite IH by (intros; apply U; right; trivial). rewrite mirrored_mean by (apply U; left; trivial). rewrite S_INR. ring. }
unfold chance in *. rewrite mirrored_sum, M in H.
eapply Rle_trans; [right|exact H]. apply expect_same. intros x. unfold at_least, at_most.
destruct (Rle_dec x (means ls - a)), (Rle_dec (INR (length ls) - means ls + a) (INR (length ls) - x)); try reflexivity; lra.
Qed.
Definition off (m a x : R) : bool := if Rle_dec a (Rabs (x - m)) then true else false.
Theorem hoeffding ls a : (forall l, In l ls -> in_unit_law l) -> (0 < length ls)%nat -> 0 <= a ->
  chance (off (means ls) a) (sum_of ls) <= 2 * exp (- (2 * a ^ 2 / INR (length ls))).
Proof.
intros U N A. pose proof (hoeffding_above ls a U N A) as X. pose proof (hoeffding_below ls a U N A) as Y.
assert (chance (off (means ls) a) (sum_of ls) <=
  chance (at_least (means ls + a)) (sum_of ls) + chance (at_most (means ls - a)) (sum_of ls)); [|lra].
unfold chance. pose proof (weights_pos ls U) as P. clear X Y U N. induction (sum_of ls) as [|[p x] l IH]; simpl; [lra|].
assert (0 <= p) as Q by (apply (P p x); left; trivial).
assert (forall p x, In (p, x) l -> 0 <= p) as R by (intros; eapply P; right; eassumption). specialize (IH R).
assert ((if off (means ls) a x then 1 else 0) <=
  (if at_least (means ls + a) x then 1 else 0) + (if at_most (means ls - a) x then 1 else 0)) as K.
{ unfold off, at_least, at_most.
  destruct (Rle_dec (means ls + a) x), (Rle_dec x (means ls - a)), (Rle_dec a (Rabs (x - means ls))); try lra.
  exfalso. unfold Rabs in *. destruct (Rcase_abs (x - means ls)); lra. }
pose proof (Rmult_le_compat_l p _ _ Q K). lra.
Qed.

(* Fact 14: the density of Lap(b) is one, and what is beyond m has half of exp(-m/b). *)
Theorem fact_14 b : 0 < b -> (forall x, 0 < lap b 0 x) /\ line (lap b 0) 1 /\
  forall m, 0 <= m -> is_RInt_gen (lap b 0) (at_point m) (Rbar_locally p_infty) (exp (- (m / b)) / 2).
Proof.
intros B. split; [intros; apply lap_pos, B|]. split; [apply lap_mass, B|]. intros m M. apply laplace_tail; trivial.
Qed.
(* Fact 16: both tails of Laplace noise together. *)
Theorem laplace_tails b delta : 0 < b -> 0 < delta <= 1 ->
  is_RInt_gen (lap b 0) (Rbar_locally m_infty) (at_point (- (ln (1 / delta) * b))) (delta / 2) /\
  is_RInt_gen (lap b 0) (at_point (ln (1 / delta) * b)) (Rbar_locally p_infty) (delta / 2).
Proof.
intros B D. set (m := ln (1 / delta) * b).
assert (0 <= ln (1 / delta)) as L.
{ rewrite <- ln_1. apply Rcomplements.ln_le; [lra|]. apply (Rmult_le_reg_r delta); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
assert (0 <= m) as M by (apply Rmult_le_pos; lra).
assert (exp (- (m / b)) = delta) as E.
{ unfold m. replace (- (ln (1 / delta) * b / b)) with (- ln (1 / delta)) by (field; lra).
  unfold Rdiv. rewrite Rmult_1_l, ln_Rinv, Ropp_involutive by lra. apply exp_ln. lra. }
split.
- apply left_ext with (fun x => / (2 * b) * exp (/ b * (x - 0))).
  + intros x X. unfold lap. rewrite Rabs_left1 by lra. f_equal. f_equal. field. lra.
  + pose proof (left_half (/ (2 * b)) (/ b) 0 (- m) (Rinv_0_lt_compat b B)) as H.
    replace (/ (2 * b) / / b * exp (/ b * (- m - 0))) with (delta / 2) in H; [exact H|].
    replace (/ b * (- m - 0)) with (- (m / b)) by (field; lra). rewrite E. field. lra.
- rewrite <- E. apply laplace_tail; trivial.
Qed.
(* Fact A.2 of Hu et al.: the mean in place of the sum. *)
Corollary hoeffding_of_the_mean ls a : (forall l, In l ls -> in_unit_law l) -> (0 < length ls)%nat -> 0 <= a ->
  let n := INR (length ls) in
  chance (fun x => off (means ls / n) a (x / n)) (sum_of ls) <= 2 * exp (- (2 * n * a ^ 2)).
Proof.
intros U N A n. assert (0 < n) as Q by (apply lt_0_INR; trivial).
pose proof (hoeffding ls (n * a) U N ltac:(apply Rmult_le_pos; lra)) as H. fold n in H.
replace (2 * (n * a) ^ 2 / n) with (2 * n * a ^ 2) in H by (field; lra).
eapply Rle_trans; [right|exact H]. apply expect_same. intros x. unfold off.
assert (Rabs (x - means ls) = n * Rabs (x / n - means ls / n)) as E.
{ replace (x - means ls) with (n * (x / n - means ls / n)) by (field; lra). rewrite Rabs_mult, (Rabs_right n) by lra. reflexivity. }
rewrite E. destruct (Rle_dec a (Rabs (x / n - means ls / n))), (Rle_dec (n * a) (n * Rabs (x / n - means ls / n))); try reflexivity; exfalso; nra.
Qed.
