(* Theorem 3.5 of Tossou & Dimitrakakis (2016) is false: an instance whose regret is far above the bound.

   The algorithm: Algorithm 3, DP-UCB-INT, with epsilon = 1, v = 3/2 and two arms.  Each arm is pulled once.
   Then, in each round t, the arm that was pulled in the round before gets a new index: its mean with noise
   Lap(1 / n^(1/4)), n the number of its pulls, and sqrt(2 ln t / n) on top; the index of an arm that waits
   stays (Section 3.3: one release at the beginning of each interval, here of one pull); the arm of
   the larger index is pulled.  The rewards: the first arm always pays 1 and the second always 0.

   The theorem: the expected regret after T rounds is at most gap (f_0 + 8 ln T / gap^2 + 1 + 4 zeta(3/2)) with
   f_0 <= 1/epsilon; here the gap is 1 and f_0 is 1.  But the first noise of the first arm is -13 or less with
   probability exp(-13)/2, and then its index stays at -10 or less for as long as the second arm's indices are above,
   which is for ever with a probability of 9/11 at least: the regret is linear.

   Modelled: every release and every choice, on each path; the expected regret is the sum over all paths
   of T - 2 choices of their probabilities times the pulls of the second arm in them (theorem_3_5_is_false).
   Not modelled: what other readings of Section 3.3 do. *)
From Coq Require Import Reals Lra Lia List Arith ZArith.
From Coquelicot Require Import Coquelicot.
Require Import Integral Book Lazy NoisyMax.
Import ListNotations.
Open Scope R_scope.

Definition mean (a : nat) : R := if Nat.eqb a 0 then 1 else 0.
Definition scale (n : nat) : R := / sqrt (sqrt (INR n)).                  (* n^(v/2 - 1) with v = 3/2 *)
Definition bonus (t n : nat) : R := sqrt (2 * ln (INR t) / INR n).
Definition larger (x : nat -> R) : nat := if Rle_dec (x 1%nat) (x 0%nat) then 0%nat else 1%nat.
(* `last` was pulled in the round before t; n and x are pulls and indices. *)
Fixpoint rounds (k t : nat) (n : nat -> nat) (x : nat -> R) (last : nat) : steps :=
  match k with
  | O => Stop
  | S k => Release (mean last) (scale (n last)) (fun y =>
      let x' := put last (y + bonus t (n last)) x in
      Toss (fun a => if Nat.eqb a (larger x') then 1 else 0)
           (fun a => rounds k (S t) (fun b => if Nat.eqb a b then S (n b) else n b) x' a))
  end.
(* After one pull of each arm: k choices, from round 3 on. *)
Definition dp_ucb_int (k : nat) : steps :=
  Release (mean 0) (scale 1) (fun y => rounds k 3 (fun _ => 1%nat) (put 0 (y + bonus 3 1) (fun _ => 0)) 1).
Fixpoint choices (k : nat) : list (list nat) :=
  match k with O => [[]] | S k => map (cons 0%nat) (choices k) ++ map (cons 1%nat) (choices k) end.
Fixpoint ones (path : list nat) : nat := match path with [] => 0 | a :: rest => a + ones rest end.
Fixpoint sum_over (m : steps) (paths : list (list nat)) : R :=
  match paths with [] => 0 | path :: rest => P m path * INR (ones path) + sum_over m rest end.
(* The second arm's first pull, and those among the choices. *)
Definition expected_regret (k : nat) : R := 1 + sum_over (dp_ucb_int k) (choices k).

Lemma scale_pos n : (0 < n)%nat -> 0 < scale n.
Proof. intros N. apply Rinv_0_lt_compat, sqrt_lt_R0, sqrt_lt_R0, lt_0_INR, N. Qed.
Lemma rounds_proper k : forall t n x last, (forall b, (0 < n b)%nat) -> proper (rounds k t n x last).
Proof.
induction k as [|k IH]; intros t n x last N; simpl; trivial. split; [apply scale_pos, N|]. intros y a. split.
- destruct (Nat.eqb a _); lra.
- apply IH. intros b. destruct (Nat.eqb a b); [lia | apply N].
Qed.
Lemma proper_run k : proper (dp_ucb_int k).
Proof. split; [apply scale_pos; lia|]. intros y. apply rounds_proper. intros; lia. Qed.

(* The chance that the noise is above -10, so many pulls in a row. *)
Definition miss (n : nat) : R := exp (- (10 / scale n)) / 2.
Fixpoint all_hold (n k : nat) : R := match k with O => 1 | S k => (1 - miss n) * all_hold (S n) k end.
Lemma miss_range n : (0 < n)%nat -> 0 < miss n <= 1 / 2.
Proof.
intros N. unfold miss. pose proof (exp_pos (- (10 / scale n))). split; [lra|].
assert (exp (- (10 / scale n)) <= exp 0) as L; [|rewrite exp_0 in L; lra]. apply exp_le.
assert (0 < 10 / scale n) by (apply Rdiv_lt_0_compat; [lra | apply scale_pos, N]). lra.
Qed.
Lemma all_hold_range k : forall n, (0 < n)%nat -> 0 <= all_hold n k <= 1.
Proof.
induction k as [|k IH]; intros n N; simpl; [lra|]. specialize (IH (S n) ltac:(lia)). pose proof (miss_range n N).
split; [apply Rmult_le_pos; lra|]. rewrite <- (Rmult_1_r 1). apply Rmult_le_compat; lra.
Qed.
Lemma above b s (B : 0 < b) c : s <= 0 -> 0 <= c ->
  integral (fun y => lap b 0 y * (if Rlt_dec s y then c else 0)) = c * (1 - exp (s / b) / 2).
Proof.
intros S C. apply integral_is.
- intros y. pose proof (lap_pos b 0 y B). destruct (Rlt_dec s y); [apply Rmult_le_pos|]; lra.
- apply line_join with s 0 (c * (1 - exp (s / b) / 2)); [ring | |].
  + apply left_ext with (fun x => 0 * exp (1 * (x - 0))).
    * intros x X. destruct (Rlt_dec s x); [lra|ring].
    * pose proof (left_half 0 1 0 s Rlt_0_1) as H.
      replace (0 / 1 * exp (1 * (s - 0))) with 0 in H by (unfold Rdiv; ring). exact H.
  + apply right_ext with (fun x => c * lap b 0 x).
    * intros x X. destruct (Rlt_dec s x); [ring|lra].
    * pose proof (survival_of_density (laplace b B) s) as H.
      pose proof (is_RInt_gen_scal _ c _ H) as I. unfold scal in I; simpl in I. unfold mult in I; simpl in I.
      replace (c * (1 - exp (s / b) / 2)) with (c * laplace_survival b s); [exact I|].
      unfold laplace_survival. destruct (Rlt_dec s 0); [reflexivity|].
      replace s with 0 by lra. unfold Rdiv. rewrite !Rmult_0_l, Ropp_0, exp_0. lra.
Qed.
Lemma below b s m c : 0 < b -> m <= s -> 0 <= c ->
  integral (fun y => lap b s y * (if Rle_dec y m then c else 0)) = c * (exp ((m - s) / b) / 2).
Proof.
intros B L C. apply integral_is.
- intros y. pose proof (lap_pos b s y B). destruct (Rle_dec y m); [apply Rmult_le_pos|]; lra.
- apply line_join with m (c * (exp ((m - s) / b) / 2)) 0; [ring | |].
  + apply left_ext with (fun x => c / (2 * b) * exp (/ b * (x - s))).
    * intros x X. destruct (Rle_dec x m); [|lra]. unfold lap. rewrite Rabs_left by lra.
      replace (- (- (x - s) / b)) with (/ b * (x - s)) by (field; lra). field. lra.
    * pose proof (left_half (c / (2 * b)) (/ b) s m (Rinv_0_lt_compat b B)) as H.
      replace (c / (2 * b) / / b * exp (/ b * (m - s))) with (c * (exp ((m - s) / b) / 2)) in H; [exact H|].
      replace (/ b * (m - s)) with ((m - s) / b) by (unfold Rdiv; ring). field. lra.
  + apply right_ext with (fun x => 0 * exp (- (1 * (x - 0)))).
    * intros x X. destruct (Rle_dec x m); [lra|ring].
    * pose proof (right_half 0 1 0 m Rlt_0_1) as H.
      replace (0 / 1 * exp (- (1 * (m - 0)))) with 0 in H by (unfold Rdiv; ring). exact H.
Qed.

(* While the first arm's index is -10 or less, the second arm is pulled as long as its noise is above -10. *)
Lemma stays k : forall t n x, (0 < n 1)%nat -> (forall b, (0 < n b)%nat) -> x 0%nat <= -10 ->
  all_hold (n 1%nat) k <= P (rounds k t n x 1) (repeat 1%nat k).
Proof.
induction k as [|k IH]; intros t n x N M X; [simpl; lra|].
cbn [all_hold rounds repeat P]. unfold mean. cbn [Nat.eqb].
pose proof (scale_pos _ N) as B. pose proof (all_hold_range k (S (n 1%nat)) ltac:(lia)) as R.
replace ((1 - miss (n 1%nat)) * all_hold (S (n 1%nat)) k)
  with (integral (fun y => lap (scale (n 1%nat)) 0 y * (if Rlt_dec (-10) y then all_hold (S (n 1%nat)) k else 0))).
2: { rewrite (above _ _ B) by lra. unfold miss. replace (-10 / scale (n 1%nat)) with (- (10 / scale (n 1%nat))) by (unfold Rdiv; ring). ring. }
apply integral_le.
- intros y. pose proof (lap_pos (scale (n 1%nat)) 0 y B) as L.
  set (x' := put 1 (y + bonus t (n 1%nat)) x).
  assert (0 <= P (rounds k (S t) (fun b => if Nat.eqb 1 b then S (n b) else n b) x' 1) (repeat 1%nat k)) as Z.
  { apply P_is_a_probability, rounds_proper. intros b. destruct (Nat.eqb 1 b); [lia | apply M]. }
  destruct (Rlt_dec (-10) y) as [Y|Y].
  + assert (larger x' = 1%nat) as W.
    { unfold larger, x', put. cbn [Nat.eqb]. destruct (Rle_dec _ _) as [Q|Q]; [|reflexivity].
      assert (0 <= bonus t (n 1%nat)) by apply sqrt_pos. lra. }
    rewrite W. cbn [Nat.eqb]. rewrite Rmult_1_l. split; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat_l; [lra|].
    apply (IH (S t) (fun b => if Nat.eqb 1 b then S (n b) else n b)).
    * simpl. lia.
    * intros b. destruct (Nat.eqb 1 b); [lia | apply M].
    * unfold x', put. cbn [Nat.eqb]. exact X.
  + rewrite Rmult_0_r. split; [lra|]. apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [|exact Z].
    match goal with |- 0 <= (if ?c then _ else _) => destruct c; lra end.
- apply below_lap; [exact B|]. intros y. set (x' := put 1 (y + bonus t (n 1%nat)) x).
  assert (0 <= P (rounds k (S t) (fun b => if Nat.eqb 1 b then S (n b) else n b) x' 1) (repeat 1%nat k) <= 1) as Z.
  { apply P_is_a_probability, rounds_proper. intros b. destruct (Nat.eqb 1 b); [lia | apply M]. }
  match goal with |- 0 <= (if ?c then _ else _) * _ <= 1 => destruct c; [rewrite Rmult_1_l; exact Z | rewrite Rmult_0_l; lra] end.
Qed.
Lemma bonus_3 : bonus 3 1 <= 2.
Proof.
unfold bonus. replace 2 with (sqrt (2 ^ 2)) at 2 by (apply sqrt_pow2; lra). apply sqrt_le_1_alt.
assert (ln 3 <= 2) as L.
{ rewrite <- (ln_exp 2). pose proof (exp_ineq1_le 2) as E. destruct E as [E|E]; [left; apply ln_increasing; lra|].
  replace 3 with (1 + 2) by ring. rewrite E. lra. }
replace (INR 3) with 3 by (simpl; ring). replace (INR 1) with 1 by reflexivity. lra.
Qed.
Lemma always_the_second k : exp (-13) / 2 * all_hold 1 k <= P (dp_ucb_int k) (repeat 1%nat k).
Proof.
unfold dp_ucb_int. cbn [P]. unfold mean. cbn [Nat.eqb].
assert (scale 1 = 1) as S1 by (unfold scale; simpl; rewrite !sqrt_1; apply Rinv_1). rewrite S1.
pose proof (all_hold_range k 1 ltac:(lia)) as R.
replace (exp (-13) / 2 * all_hold 1 k) with (integral (fun y => lap 1 1 y * (if Rle_dec y (-12) then all_hold 1 k else 0))).
2: { rewrite below by lra. replace ((-12 - 1) / 1) with (-13) by field. ring. }
assert (forall y, 0 <= P (rounds k 3 (fun _ => 1%nat) (put 0 (y + bonus 3 1) (fun _ => 0)) 1) (repeat 1%nat k) <= 1) as Z.
{ intros y. apply P_is_a_probability, rounds_proper. intros; lia. }
apply integral_le; [|apply below_lap; [lra | exact Z]].
intros y. pose proof (lap_pos 1 1 y Rlt_0_1) as L. destruct (Rle_dec y (-12)) as [Y|Y].
- split; [apply Rmult_le_pos; lra|]. apply Rmult_le_compat_l; [lra|].
  apply (stays k 3 (fun _ => 1%nat)); try lia. unfold put. cbn [Nat.eqb]. pose proof bonus_3. lra.
- rewrite Rmult_0_r. split; [lra|]. apply Rmult_le_pos; [lra | apply Z].
Qed.

(* exp(-10 n^(1/4)) is at most (4/5)^8 / n^2: exp is above its tangent, to the eighth power. *)
Lemma miss_small n : (0 < n)%nat -> miss n <= 2 / 11 * (1 / INR n - 1 / INR (S n)).
Proof.
intros N. assert (1 <= INR n) as I by (change 1 with (INR 1); apply le_INR; lia).
set (u := sqrt (sqrt (INR n))). assert (0 < u) as U by (apply sqrt_lt_R0, sqrt_lt_R0; lra).
assert (u ^ 8 = INR n ^ 2) as Q.
{ unfold u. replace (sqrt (sqrt (INR n)) ^ 8) with (((sqrt (sqrt (INR n)) ^ 2) ^ 2) ^ 2) by ring.
  rewrite !pow2_sqrt by (try apply sqrt_pos; lra). reflexivity. }
unfold miss, scale. fold u. replace (10 / / u) with (10 * u) by (field; lra).
assert ((5 / 4) ^ 8 * INR n ^ 2 <= exp (10 * u)) as E.
{ rewrite <- Q, <- Rpow_mult_distr. replace (10 * u) with (INR 8 * (5 / 4 * u)) by (simpl; field).
  apply Rle_trans with (exp (5 / 4 * u) ^ 8).
  - apply pow_incr. pose proof (exp_ineq1_le (5 / 4 * u)). lra.
  - right. generalize (5 / 4 * u). intros w. generalize 8%nat. intros j. induction j as [|j J]; [simpl; rewrite Rmult_0_l, exp_0; reflexivity|].
    rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus, <- J. simpl. ring. }
rewrite exp_Ropp, S_INR. set (m := INR n) in *. assert (0 < m ^ 2) as M2 by (apply pow_lt; lra).
assert (/ exp (10 * u) <= / ((5 / 4) ^ 8 * m ^ 2)) as F.
{ apply Rinv_le_contravar; [apply Rmult_lt_0_compat; [apply pow_lt|]; lra | exact E]. }
assert (/ ((5 / 4) ^ 8 * m ^ 2) <= 2 / 11 * / m ^ 2) as H.
{ rewrite Rinv_mult. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra | lra]. }
assert (/ m ^ 2 <= 2 * (1 / m - 1 / (m + 1))) as G.
{ replace (2 * (1 / m - 1 / (m + 1))) with (/ (m * (m + 1) / 2)) by (field; lra). apply Rinv_le_contravar; nra. }
lra.
Qed.
Lemma hold_bound k : forall n, (0 < n)%nat -> 1 - 2 / 11 * (1 / INR n - 1 / INR (n + k)) <= all_hold n k.
Proof.
induction k as [|k IH]; intros n N; simpl all_hold; [rewrite Nat.add_0_r; lra|].
specialize (IH (S n) ltac:(lia)). replace (S n + k)%nat with (n + S k)%nat in IH by lia.
pose proof (miss_small n N) as M. pose proof (miss_range n N) as R.
pose proof (all_hold_range k (S n) ltac:(lia)) as A.
assert (0 <= 1 - all_hold (S n) k) by lra.
assert (0 <= miss n * (1 - all_hold (S n) k)) by (apply Rmult_le_pos; lra). lra.
Qed.
Lemma linear k : exp (-13) / 2 * (9 / 11) * INR k <= expected_regret k.
Proof.
assert (In (repeat 1%nat k) (choices k)) as I.
{ induction k as [|k IH]; simpl; [left; reflexivity|]. apply in_or_app. right. apply in_map, IH. }
assert (ones (repeat 1%nat k) = k) as O by (clear; induction k; simpl; congruence).
pose proof (always_the_second k) as W. pose proof (proper_run k) as G. unfold expected_regret.
generalize dependent (dp_ucb_int k). intros m W G.
assert (forall paths, 0 <= sum_over m paths) as Z.
{ induction paths as [|p rest J]; simpl; [lra|]. pose proof (proj1 (P_is_a_probability m p G)).
  pose proof (pos_INR (ones p)). assert (0 <= P m p * INR (ones p)) by (apply Rmult_le_pos; lra). lra. }
assert (P m (repeat 1%nat k) * INR k <= sum_over m (choices k)) as S.
{ rewrite <- O at 2. revert I. generalize (repeat 1%nat k). intros path. induction (choices k) as [|p rest J]; simpl; [contradiction|].
  intros [->|I]; [specialize (Z rest); lra|]. specialize (J I).
  pose proof (proj1 (P_is_a_probability m p G)). pose proof (pos_INR (ones p)).
  assert (0 <= P m p * INR (ones p)) by (apply Rmult_le_pos; lra). lra. }
assert (exp (-13) / 2 * (9 / 11) * INR k <= P m (repeat 1%nat k) * INR k); [|lra].
apply Rmult_le_compat_r; [apply pos_INR|]. eapply Rle_trans; [|exact W].
apply Rmult_le_compat_l; [pose proof (exp_pos (-13)); lra|].
pose proof (hold_bound k 1 ltac:(lia)) as H. simpl (INR 1) in H.
assert (0 < 1 / INR (1 + k)) by (apply Rdiv_lt_0_compat; [lra | apply lt_0_INR; lia]). lra.
Qed.

(* zeta(3/2) = sum of 1/n^(3/2) is at most 3. *)
Definition bound (T : nat) (zeta : R) : R := 1 * (1 + 8 / 1 ^ 2 * ln (INR T) + 1 + 4 * zeta).
Lemma zeta_bound zeta : is_series (fun n => / (INR (S n) * sqrt (INR (S n)))) zeta -> zeta <= 3.
Proof.
intros S. apply (is_lim_seq_le (sum_n (fun n => / (INR (Datatypes.S n) * sqrt (INR (Datatypes.S n))))) (fun _ => 3) zeta 3); [|exact S | apply is_lim_seq_const].
intros n. apply Rle_trans with (3 - 2 / sqrt (INR (Datatypes.S n))).
- induction n as [|n IH].
  + rewrite sum_O. simpl. rewrite sqrt_1. lra.
  + rewrite sum_Sn. match goal with |- context [plus ?x ?y] => change (plus x y) with (Rplus x y) end. set (a := INR (Datatypes.S n)) in *.
    rewrite (S_INR (Datatypes.S n)). fold a. assert (1 <= a) as A by (unfold a; rewrite S_INR; pose proof (pos_INR n); lra).
    set (p := sqrt a) in *. set (q := sqrt (a + 1)).
    assert (0 < p) as P0 by (apply sqrt_lt_R0; lra). assert (0 < q) as Q0 by (apply sqrt_lt_R0; lra).
    assert (p * p = a) as PP by (apply sqrt_sqrt; lra). assert (q * q = a + 1) as QQ by (apply sqrt_sqrt; lra).
    assert (/ ((a + 1) * q) <= 2 / p - 2 / q); [|lra].
    rewrite <- QQ. replace (2 / p - 2 / q) with (2 * (q - p) / (p * q)) by (field; lra).
    assert (p < q) as L by nra. assert ((q - p) * (q + p) = 1) as D by nra.
    apply (Rmult_le_reg_r (q * q * q * p)); [repeat apply Rmult_lt_0_compat; lra|].
    replace (/ (q * q * q) * (q * q * q * p)) with p by (field; lra).
    replace (2 * (q - p) / (p * q) * (q * q * q * p)) with (2 * (q - p) * (q * q)) by (field; lra).
    nra.
- assert (0 < 2 / sqrt (INR (Datatypes.S n))); [|lra]. apply Rdiv_lt_0_compat; [lra|]. apply sqrt_lt_R0, lt_0_INR. lia.
Qed.
Theorem theorem_3_5_is_false : exists k, forall zeta,
  is_series (fun n => / (INR (S n) * sqrt (INR (S n)))) zeta -> expected_regret k > bound (k + 2) zeta.
Proof.
exists (Z.to_nat (2 ^ 32)). intros zeta Z. apply zeta_bound in Z.
assert (INR (Z.to_nat (2 ^ 32)) = 4294967296) as K by (rewrite INR_IZR_INZ, Z2Nat.id by lia; reflexivity).
pose proof (linear (Z.to_nat (2 ^ 32))) as L. unfold bound. rewrite plus_INR, K in *. simpl (INR 2).
assert (1 / 1594323 <= exp (-13)) as E.
{ replace (-13) with (- (13)) by ring. rewrite exp_Ropp. unfold Rdiv. rewrite Rmult_1_l. apply Rinv_le_contravar; [apply exp_pos|].
  replace 13 with (INR 13 * 1) by (simpl; ring). replace 1594323 with (3 ^ 13) by ring.
  rewrite <- (exp_ln (3 ^ 13)) by (apply pow_lt; lra). apply exp_le. rewrite ln_pow by lra.
  apply Rmult_le_compat_l; [apply pos_INR|]. rewrite <- (ln_exp 1). pose proof exp_le_3 as H. pose proof (exp_pos 1).
  destruct H as [H|H]; [left; apply ln_increasing; lra | rewrite H; lra]. }
assert (ln (4294967296 + (1 + 1)) <= 33) as G.
{ rewrite <- (ln_exp 33). left. apply ln_increasing; [lra|]. replace 33 with (INR 33 * 1) by (simpl; ring).
  apply Rlt_le_trans with (2 ^ 33); [lra|]. rewrite <- (exp_ln (2 ^ 33)) by (apply pow_lt; lra). apply exp_le. rewrite ln_pow by lra.
  apply Rmult_le_compat_l; [apply pos_INR|]. rewrite <- (ln_exp 1). pose proof (exp_ineq1_le 1) as H.
  destruct H as [H|H]; [left; apply ln_increasing; lra | replace 2 with (1 + 1) by ring; rewrite H; lra]. }
lra.
Qed.
