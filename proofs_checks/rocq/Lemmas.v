(* Lemmas of the papers in full generality.

   Lemma 13 of Wu & Wang (2025), with the better constant 2 ln K in place of O(log K): for any number of
   actions with gaps a_i >= 0, the best of which has gap 0 (here already multiplied by eps and the like), the sum
   over r = 1, ..., n of f(r) = 2^r sum a_i exp(-2^r a_i) / sum exp(-2^r a_i) is at most 2 ln K.

   Lemma 24 of Hu, Huang & Mehta (2021): after an epoch of n rounds, Lap(1/eps) on each sum, action j beats
   action 1 with probability at most 2 exp(-n D min(D, eps) / 8), D the gap.  The rounds are independent,
   the two rewards of a round need not be.

   Modelled: rewards with finitely many values (Facts.v), noise with its density (NoisyMax.v, Refuted.v). *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
Require Import Integral Book NoisyMax Refuted Facts.
Import ListNotations.
Open Scope R_scope.

(* Lemma 13 *)
Fixpoint total (f : R -> R) (gaps : list R) : R := match gaps with [] => 0 | a :: rest => f a + total f rest end.
Definition weights (y : R) (gaps : list R) : R := total (fun a => exp (- (y * a))) gaps.
Definition f (gaps : list R) (r : nat) : R :=
  total (fun a => 2 ^ r * a * exp (- (2 ^ r * a))) gaps / weights (2 ^ r) gaps.
Fixpoint sum_f (gaps : list R) (n : nat) : R := match n with O => 0 | S m => sum_f gaps m + f gaps (S m) end.

Lemma total_le f g gaps : (forall a, In a gaps -> f a <= g a) -> total f gaps <= total g gaps.
Proof.
induction gaps as [|a gaps IH]; intros L; simpl; [lra|].
apply Rplus_le_compat; [apply L; left; trivial | apply IH; intros; apply L; right; trivial].
Qed.
Lemma total_linear c d f g gaps : total (fun a => c * f a + d * g a) gaps = c * total f gaps + d * total g gaps.
Proof. induction gaps; simpl; [ring | rewrite IHgaps; ring]. Qed.
Lemma total_same f g gaps : (forall a, f a = g a) -> total f gaps = total g gaps.
Proof. intros E. induction gaps; simpl; [reflexivity | rewrite E, IHgaps; reflexivity]. Qed.
Lemma weights_at_least_one y gaps : In 0 gaps -> 1 <= weights y gaps.
Proof.
unfold weights. induction gaps as [|a gaps IH]; simpl; [contradiction|]. intros [->|I].
- rewrite Rmult_0_r, Ropp_0, exp_0.
  assert (total (fun _ => 0) gaps <= total (fun a => exp (- (y * a))) gaps) as T.
  { apply total_le. intros. left. apply exp_pos. }
  assert (total (fun _ => 0) gaps = 0) as Z by (clear; induction gaps; simpl; [|rewrite IHgaps]; ring). lra.
- specialize (IH I). pose proof (exp_pos (- (y * a))). lra.
Qed.
(* exp is above its tangents: half of y's weights to y's weights is at least the exponential of the mean. *)
Lemma jensen y gaps : In 0 gaps ->
  total (fun a => y * a * exp (- (y * a))) gaps / weights y gaps <= 2 * (ln (weights (y / 2) gaps) - ln (weights y gaps)).
Proof.
intros I. pose proof (weights_at_least_one y gaps I) as W. pose proof (weights_at_least_one (y / 2) gaps I) as V.
set (T := total (fun a => y * a * exp (- (y * a))) gaps). set (Z := weights y gaps) in *. set (m := T / Z / 2).
assert (exp m * Z <= weights (y / 2) gaps) as J.
{ apply Rle_trans with (total (fun a => exp m * (1 - m) * exp (- (y * a)) + exp m / 2 * (y * a * exp (- (y * a)))) gaps).
  - rewrite total_linear. fold T. change (total (fun a => exp (- (y * a))) gaps) with Z.
    replace T with (2 * m * Z) by (unfold m; field; lra). right. field.
  - apply total_le. intros a _.
    pose proof (exp_ineq1_le (y * a / 2 - m)) as E. pose proof (exp_pos m) as P. pose proof (exp_pos (- (y * a))) as Q.
    replace (exp (- (y / 2 * a))) with (exp m * exp (- (y * a)) * exp (y * a / 2 - m)).
    + replace (exp m * (1 - m) * exp (- (y * a)) + exp m / 2 * (y * a * exp (- (y * a))))
        with (exp m * exp (- (y * a)) * (1 + (y * a / 2 - m))) by field.
      apply Rmult_le_compat_l; trivial. apply Rmult_le_pos; lra.
    + rewrite <- !exp_plus. f_equal. field. }
assert (m <= ln (weights (y / 2) gaps) - ln Z); [|assert (T / Z = 2 * m) by (unfold m; field; lra); lra].
rewrite <- (ln_exp m). apply Rplus_le_reg_r with (ln Z). rewrite <- ln_mult by (try apply exp_pos; lra).
replace (ln (weights (y / 2) gaps) - ln Z + ln Z) with (ln (weights (y / 2) gaps)) by ring.
destruct J as [J|J]; [left; apply ln_increasing; trivial; apply Rmult_lt_0_compat; [apply exp_pos | lra] | rewrite J; lra].
Qed.
Theorem lemma_13 gaps n : In 0 gaps -> (forall a, In a gaps -> 0 <= a) -> sum_f gaps n <= 2 * ln (INR (length gaps)).
Proof.
intros I P.
assert (sum_f gaps n <= 2 * (ln (weights 1 gaps) - ln (weights (2 ^ n) gaps))) as S.
{ induction n as [|n IH]; [simpl; lra|]. pose proof (jensen (2 ^ Datatypes.S n) gaps I) as J.
  replace (2 ^ Datatypes.S n / 2) with (2 ^ n) in J by (simpl; field).
  change (sum_f gaps (Datatypes.S n)) with (sum_f gaps n + f gaps (Datatypes.S n)). unfold f. lra. }
assert (0 <= ln (weights (2 ^ n) gaps)) as A.
{ pose proof (weights_at_least_one (2 ^ n) gaps I) as [W|W]; [rewrite <- ln_1; left; apply ln_increasing; lra | rewrite <- W, ln_1; lra]. }
assert (weights 1 gaps <= INR (length gaps)) as B.
{ clear -P. unfold weights. induction gaps as [|a gaps IH]; [simpl; lra|]. cbn [total length]. rewrite S_INR.
  assert (exp (- (1 * a)) <= exp 0) as X by (apply exp_le; specialize (P a (or_introl eq_refl)); lra). rewrite exp_0 in X.
  specialize (IH (fun b H => P b (or_intror H))). lra. }
pose proof (weights_at_least_one 1 gaps I) as W.
assert (ln (weights 1 gaps) <= ln (INR (length gaps))); [|lra].
destruct B as [B|B]; [left; apply ln_increasing; lra | rewrite B; lra].
Qed.

(* Lemma 24.  The laws are those of (1 + X_1 - X_j) / 2 in each round; x is their sum, so that action 1 leads by
   2 x - n.  `behind q d` is the chance that noise makes up for a lead of d. *)
Lemma behind_falls q d e : mass q -> d <= e -> 0 <= behind q e <= behind q d.
Proof.
intros M L. unfold behind.
assert (forall d, (forall y, 0 <= density q y * survival q (d + y)) /\ small (fun y => density q y * survival q (d + y))) as S.
{ intros z. split; [intros y; apply Rmult_le_pos; [apply density_pos | apply survival_range]|].
  apply small_density. intros y. apply survival_range. }
destruct (S d) as [D D'], (S e) as [E E']. split; [apply integral_pos; trivial|].
apply integral_le; trivial. intros y. split; [apply E|].
apply Rmult_le_compat_l; [apply density_pos | apply survival_falls; lra].
Qed.
Lemma behind_1 q d : mass q -> behind q d <= 1.
Proof.
intros M. unfold behind. apply Rle_trans with (integral (density q)); [|exact M]. apply integral_le; [|apply density_small].
intros y. pose proof (density_pos q y). pose proof (survival_range q (d + y)). split; [apply Rmult_le_pos; lra|].
rewrite <- (Rmult_1_r (density q y)) at 2. apply Rmult_le_compat_l; lra.
Qed.
Theorem lemma_24 eps (E : 0 < eps) (B : 0 < / eps) D ls : 0 < D -> (0 < length ls)%nat ->
  (forall l, In l ls -> in_unit_law l /\ mean l = (1 + D) / 2) ->
  let n := INR (length ls) in
  expect (fun x => behind (laplace (/ eps) B) (2 * x - n)) (sum_of ls) <= 2 * exp (- (n * D * Rmin D eps / 8)).
Proof.
intros G N U n. assert (0 < n) as Q by (apply lt_0_INR; trivial).
assert (means ls = n * ((1 + D) / 2)) as M.
{ unfold n. clear -U. induction ls as [|l ls IH]; [simpl; ring|]. cbn [means length]. rewrite S_INR.
  rewrite IH by (intros; apply U; right; trivial). rewrite (proj2 (U l (or_introl eq_refl))). ring. }
assert (forall l, In l ls -> in_unit_law l) as V by (intros; apply U; trivial).
set (q := laplace (/ eps) B). assert (mass q) as Ma by apply laplace_mass.
set (v := n * D / 2). assert (0 < v) as V0 by (unfold v; repeat apply Rmult_lt_0_compat; lra).
pose proof (hoeffding_below ls (n * D / 4) V N) as H. fold n in H.
specialize (H ltac:(left; unfold Rdiv; repeat apply Rmult_lt_0_compat; lra)).
replace (2 * (n * D / 4) ^ 2 / n) with (n * D * D / 8) in H by (field; lra).
assert (expect (fun x => behind q (2 * x - n)) (sum_of ls) <= chance (at_most (means ls - n * D / 4)) (sum_of ls) + behind q v * expect (fun _ => 1) (sum_of ls)) as Split.
{ unfold chance. rewrite <- expect_scale.
  assert (forall g h l, expect g l + expect h l = expect (fun x => g x + h x) l) as Add.
  { intros g h l. induction l as [|[p x] l IH]; simpl; [ring | rewrite <- IH; ring]. }
  rewrite Add. apply expect_le; [apply weights_pos, V|]. intros p x _. unfold at_most.
  pose proof (behind_falls q v v Ma (Rle_refl v)) as Z. destruct Rle_dec as [L|L].
  - pose proof (behind_1 q (2 * x - n) Ma). lra.
  - assert (behind q (2 * x - n) <= behind q v); [|lra]. apply behind_falls; trivial. unfold v. lra. }
assert (expect (fun _ => 1) (sum_of ls) = 1) as One.
{ clear -V. induction ls as [|l ls IH]; [simpl; ring|]. cbn [sum_of]. rewrite expect_plus_law.
  rewrite (expect_same _ (fun _ => 1)); [apply (proj2 (V l (or_introl eq_refl)))|].
  intros _. apply IH. intros; apply V; right; trivial. }
rewrite One, Rmult_1_r in Split.
assert (behind q v <= exp (- (v * eps / 2))) as T.
{ unfold q. rewrite behind_laplace by lra. replace (v / / eps) with (v * eps) by (field; lra).
  replace (v / (4 * / eps)) with (v * eps / 4) by (field; lra). set (w := v * eps). assert (0 < w) by (apply Rmult_lt_0_compat; lra).
  replace (- w) with (- (w / 2) + - (w / 2)) by field. rewrite exp_plus. replace (v * eps / 2) with (w / 2) by reflexivity.
  pose proof (exp_pos (- (w / 2))) as X. rewrite <- (Rmult_1_r (exp (- (w / 2)))) at 3. rewrite Rmult_assoc.
  apply Rmult_le_compat_l; [lra|]. apply (Rmult_le_reg_l (exp (w / 2))); [apply exp_pos|].
  rewrite <- Rmult_assoc, <- exp_plus. replace (w / 2 + - (w / 2)) with 0 by ring. rewrite exp_0.
  pose proof (exp_ineq1_le (w / 2)). lra. }
assert (Rmin D eps <= D /\ Rmin D eps <= eps) as [R1 R2] by (split; [apply Rmin_l | apply Rmin_r]).
assert (exp (- (n * D * D / 8)) <= exp (- (n * D * Rmin D eps / 8))) as X.
{ apply exp_le. assert (n * D * Rmin D eps <= n * D * D) by (apply Rmult_le_compat_l; [left; apply Rmult_lt_0_compat|]; lra). lra. }
assert (exp (- (v * eps / 2)) <= exp (- (n * D * Rmin D eps / 8))) as Y.
{ apply exp_le. unfold v. assert (n * D * Rmin D eps <= n * D * eps) by (apply Rmult_le_compat_l; [left; apply Rmult_lt_0_compat|]; lra).
  assert (0 < n * D * eps) by (repeat apply Rmult_lt_0_compat; lra). lra. }
lra.
Qed.
