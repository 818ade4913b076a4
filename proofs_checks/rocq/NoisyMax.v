(* Theorem 8 of Hu, Huang & Mehta (2021), repaired, and Theorem 3 of Wu & Wang (2025) as far as it is true:
   RNM-FTNL with Lap(2/eps), Exponential(2/eps) or Gumbel(2/eps) noise is eps-differentially private,
   for every number of actions, every horizon and epochs of any lengths.

   The algorithm: the rounds are cut into epochs; at the end of an epoch the action of the largest noisy
   sum over this epoch's rounds is reported, and is played throughout the next epoch; then all sums are
   forgotten.  Sums are those of rewards, or of losses with a minus.  Neighbours: two tables with entries in
   [0, 1] that differ in one round, in any of its entries.  The theorem is about every set of sequences
   of reported actions, from which the actions follow.

   Modelled: the law of the reported action, as the integral over the other actions' noise of the
   chance that the action's own noise exceeds what it needs (`wins`); each survival function is shown
   to be the integral of its density.  Ties have probability zero and count for nobody in particular.
   Not modelled: the resampling of losses (B = 1), which uses coins that do not depend on the data: given
   the coins, resampled neighbours are neighbours (resampled_neighbours). *)
From Coq Require Import Reals Lra List Arith.
From Coquelicot Require Import Coquelicot.
Require Import Integral Book Lazy.
Import ListNotations.
Open Scope R_scope.

Record noise := {
  density : R -> R;
  survival : R -> R;                                      (* the chance of at least m *)
  density_pos : forall x, 0 <= density x;
  density_small : small density;
  survival_of_density : forall m, is_RInt_gen density (at_point m) (Rbar_locally p_infty) (survival m);
  survival_range : forall m, 0 <= survival m <= 1;
  survival_falls : forall m n, m <= n -> survival n <= survival m }.

(* The chance that an action of score `own` beats all `others`; `best` is the largest noisy score so far. *)
Fixpoint wins (q : noise) (own : R) (others : list R) (best : option R) : R :=
  match others with
  | [] => match best with None => 1 | Some m => survival q (m - own) end
  | s :: rest => integral (fun y =>
      density q y * wins q own rest (Some (match best with None => s + y | Some m => Rmax m (s + y) end)))
  end.
Definition but (a : nat) (scores : list R) : list R := firstn a scores ++ skipn (S a) scores.
Definition reports (q : noise) (scores : list R) (a : nat) : R :=
  if Nat.ltb a (length scores) then wins q (nth a scores 0) (but a scores) None else 0.

(* Moving a threshold by 2 changes its chance by a factor exp(eps) at most. *)
Definition steady (q : noise) (eps : R) := forall m, survival q (m - 2) <= exp eps * survival q m.

Lemma small_density q f : (forall y, 0 <= f y <= 1) -> small (fun y => density q y * f y).
Proof.
intros F. destruct (density_small q) as [c [b [s [C [B S]]]]]. exists c, b, s. repeat split; trivial.
intros y. specialize (S y). specialize (F y). pose proof (density_pos q y).
apply Rle_trans with (density q y * 1); [apply Rmult_le_compat_l; lra | lra].
Qed.

(* The density integrates to at most 1; shown for each noise below. *)
Definition mass (q : noise) := integral (density q) <= 1.

Lemma wins_range q own others : mass q -> forall best, 0 <= wins q own others best <= 1.
Proof.
intros M. induction others as [|s rest IH]; intros best; simpl.
- destruct best; [apply survival_range | lra].
- set (f := fun y => wins q own rest (Some (match best with None => s + y | Some m => Rmax m (s + y) end))).
  assert (forall y, 0 <= f y <= 1) as F by (intros; apply IH).
  pose proof (small_density q f F) as S.
  assert (forall y, 0 <= density q y * f y <= density q y) as O.
  { intros y. specialize (F y). pose proof (density_pos q y). split; [apply Rmult_le_pos; lra|].
    rewrite <- (Rmult_1_r (density q y)) at 2. apply Rmult_le_compat_l; lra. }
  split; [apply integral_pos; trivial; intros; apply O|].
  apply Rle_trans with (integral (density q)); [apply integral_le; [exact O | apply density_small] | exact M].
Qed.

Inductive close : list R -> list R -> Prop :=
| none : close [] []
| more s s' rest rest' : Rabs (s - s') <= 1 -> close rest rest' -> close (s :: rest) (s' :: rest').

Lemma wins_near q eps own own' others others' : mass q -> steady q eps -> Rabs (own - own') <= 1 ->
  close others others' -> forall m m', m' - 1 <= m ->
  wins q own others (Some m) <= exp eps * wins q own' others' (Some m').
Proof.
intros M S O N. apply Rabs_le_between in O. induction N as [|s s' rest rest' D N IH]; intros m m' L; simpl.
- apply Rle_trans with (survival q (m' - own' - 2)); [apply survival_falls; lra | apply S].
- apply Rabs_le_between in D.
  pose proof (fun y => wins_range q own' rest' M (Some (Rmax m' (s' + y)))) as F'.
  pose proof (fun y => wins_range q own rest M (Some (Rmax m (s + y)))) as F.
  rewrite <- integral_scale.
  + apply integral_le.
    * intros y. pose proof (density_pos q y). split; [apply Rmult_le_pos; [|apply F]; lra|].
      rewrite <- Rmult_assoc, (Rmult_comm (exp eps)), Rmult_assoc. apply Rmult_le_compat_l; trivial.
      apply IH. unfold Rmax. destruct (Rle_dec m' (s' + y)), (Rle_dec m (s + y)); lra.
    * destruct (small_density q _ F') as [c [b [t [C [B T]]]]]. exists (exp eps * c), b, t.
      pose proof (exp_pos eps). repeat split; trivial; [apply Rmult_le_pos; lra|].
      intros y. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra | apply T].
  + left; apply exp_pos.
  + intros y. apply Rmult_le_pos; [apply density_pos | apply F'].
  + exact (small_density q _ F').
Qed.

Lemma first_near q eps own own' others others' : 0 <= eps -> mass q -> steady q eps -> Rabs (own - own') <= 1 ->
  close others others' -> wins q own others None <= exp eps * wins q own' others' None.
Proof.
intros E M S O N. destruct N as [|s s' rest rest' D N]; simpl.
- pose proof (exp_ge_1 eps E). lra.
- pose proof D as D'. apply Rabs_le_between in D'.
  pose proof (fun y => wins_range q own' rest' M (Some (s' + y))) as F'.
  pose proof (fun y => wins_range q own rest M (Some (s + y))) as F.
  rewrite <- integral_scale.
  + apply integral_le.
    * intros y. pose proof (density_pos q y). split; [apply Rmult_le_pos; [|apply F]; lra|].
      rewrite <- Rmult_assoc, (Rmult_comm (exp eps)), Rmult_assoc. apply Rmult_le_compat_l; trivial.
      apply wins_near; trivial. lra.
    * destruct (small_density q _ F') as [c [b [t [C [B T]]]]]. exists (exp eps * c), b, t.
      pose proof (exp_pos eps). repeat split; trivial; [apply Rmult_le_pos; lra|].
      intros y. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra | apply T].
  + left; apply exp_pos.
  + intros y. apply Rmult_le_pos; [apply density_pos | apply F'].
  + exact (small_density q _ F').
Qed.

Lemma close_length s s' : close s s' -> length s = length s'.
Proof. induction 1; simpl; congruence. Qed.
Lemma close_nth s s' : close s s' -> forall a, Rabs (nth a s 0 - nth a s' 0) <= 1.
Proof.
induction 1 as [|x y r r' D N IH]; intros [|a]; simpl; trivial; rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra.
Qed.
Lemma close_app a a' b b' : close a a' -> close b b' -> close (a ++ b) (a' ++ b').
Proof. induction 1; simpl; intros; [trivial | constructor; auto]. Qed.
Lemma close_firstn s s' : close s s' -> forall a, close (firstn a s) (firstn a s').
Proof. induction 1; intros [|a]; simpl; constructor; auto. Qed.
Lemma close_skipn s s' : close s s' -> forall a, close (skipn a s) (skipn a s').
Proof. induction 1; intros [|a]; simpl; try constructor; auto. Qed.
Lemma close_refl s : close s s.
Proof. induction s; constructor; trivial. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra. Qed.

Theorem noisy_max_is_private q eps s s' a : 0 <= eps -> mass q -> steady q eps -> close s s' ->
  reports q s a <= exp eps * reports q s' a.
Proof.
intros E M S N. unfold reports. rewrite (close_length s s' N). destruct (Nat.ltb a (length s')).
- apply first_near; trivial; [apply close_nth, N | apply close_app; [apply close_firstn | apply close_skipn]; exact N].
- pose proof (exp_pos eps). lra.
Qed.
Lemma reports_range q s a : mass q -> 0 <= reports q s a <= 1.
Proof. intros M. unfold reports. destruct (Nat.ltb a (length s)); [apply wins_range, M | lra]. Qed.

(* RNM-FTNL.  sign is 1 for rewards and -1 for losses. *)
Fixpoint total (t : table) (a : nat) : R := match t with [] => 0 | u :: rest => u a + total rest a end.
Definition sums (arms : nat) (sign : R) (t : table) : list R := map (fun a => sign * total t a) (seq 0 arms).
Fixpoint epochs (q : noise) (arms : nat) (sign : R) (lengths : list nat) (t : table) : steps :=
  match lengths with
  | [] => Stop
  | n :: rest => if Nat.ltb (length t) n then Stop
    else Toss (reports q (sums arms sign (firstn n t))) (fun _ => epochs q arms sign rest (skipn n t))
  end.
(* The r-th epoch has 2^r rounds, r = 0, 1, ... *)
Fixpoint doubling_from (n epochs : nat) : list nat :=
  match epochs with O => [] | S r => n :: doubling_from (2 * n) r end.

Lemma neighbour_length t t' : neighbour t t' -> length t = length t'.
Proof. induction 1; simpl; congruence. Qed.
Lemma total_near t t' a : neighbour t t' -> Rabs (total t a - total t' a) <= 1.
Proof.
induction 1 as [u v rest U V|u rest rest' N IH]; simpl.
- replace (u a + total rest a - (v a + total rest a)) with (u a - v a) by ring.
  specialize (U a); specialize (V a). apply Rabs_le. lra.
- replace (u a + total rest a - (u a + total rest' a)) with (total rest a - total rest' a) by ring. exact IH.
Qed.
Lemma sums_near arms sign t t' : sign = 1 \/ sign = -1 -> neighbour t t' -> close (sums arms sign t) (sums arms sign t').
Proof.
intros G N. unfold sums. induction (seq 0 arms) as [|a r IH]; simpl; constructor; trivial.
pose proof (total_near t t' a N) as D. apply Rabs_le_between in D. apply Rabs_le. destruct G as [->| ->]; lra.
Qed.

Lemma epochs_same q arms sign lengths : forall t, within 0 (epochs q arms sign lengths t) (epochs q arms sign lengths t).
Proof.
induction lengths as [|n rest IH]; intros t; simpl; [constructor; lra|].
destruct (Nat.ltb (length t) n); [constructor; lra|].
apply toss with 0; [lra | intros; rewrite exp_0; lra|]. intros _. replace (0 - 0) with 0 by ring. apply IH.
Qed.
Lemma epochs_proper q arms sign lengths : mass q -> forall t, proper (epochs q arms sign lengths t).
Proof.
intros M. induction lengths as [|n rest IH]; intros t; simpl; trivial.
destruct (Nat.ltb (length t) n); simpl; trivial. intros a. split; [apply reports_range, M | apply IH].
Qed.
Lemma cut t t' : neighbour t t' -> forall n,
  (neighbour (firstn n t) (firstn n t') /\ skipn n t = skipn n t') \/
  (firstn n t = firstn n t' /\ neighbour (skipn n t) (skipn n t')).
Proof.
induction 1 as [u v rest U V|u rest rest' N IH]; intros [|n]; simpl.
- right. split; [reflexivity | constructor; trivial].
- left. split; [constructor; trivial | reflexivity].
- right. split; [reflexivity | constructor; trivial].
- destruct (IH n) as [[A B]|[A B]]; [left; split; [constructor 2|]; trivial | right; split; [congruence | trivial]].
Qed.
Lemma epochs_near q eps arms sign lengths : 0 <= eps -> mass q -> steady q eps -> sign = 1 \/ sign = -1 ->
  forall t t', neighbour t t' -> within eps (epochs q arms sign lengths t) (epochs q arms sign lengths t').
Proof.
intros E M S G. induction lengths as [|n rest IH]; intros t t' N; simpl; [constructor; trivial|].
rewrite (neighbour_length t t' N). destruct (Nat.ltb (length t') n); [constructor; trivial|].
destruct (cut t t' N n) as [[A ->]|[-> B]].
- apply toss with eps; trivial.
  + intros a. apply noisy_max_is_private; trivial. apply sums_near; trivial.
  + intros _. apply within_more with 0; [apply epochs_same | lra].
- apply toss with 0; [lra | intros; rewrite exp_0; lra|].
  intros _. replace (eps - 0) with eps by ring. apply IH, B.
Qed.

Theorem rnm_ftnl_is_private q eps arms sign lengths t t' paths :
  0 <= eps -> mass q -> steady q eps -> sign = 1 \/ sign = -1 -> neighbour t t' ->
  Pr (epochs q arms sign lengths t) paths <= exp eps * Pr (epochs q arms sign lengths t') paths.
Proof.
intros E M S G N. apply every_event; [apply epochs_proper | apply epochs_proper | apply epochs_near]; trivial.
Qed.

(* Given the coins of each round (a threshold for each entry), resampled neighbours are neighbours. *)
Definition resampled (coin u : row) : row := fun a => if Rlt_dec (coin a) (u a) then 1 else 0.
Fixpoint resample (coins t : table) : table :=
  match coins, t with c :: cs, u :: rest => resampled c u :: resample cs rest | _, _ => [] end.
Lemma resampled_neighbours coins t t' : neighbour t t' ->
  neighbour (resample coins t) (resample coins t') \/ resample coins t = resample coins t'.
Proof.
intros N. revert coins. induction N as [u v rest U V|u rest rest' N IH]; intros [|c coins]; simpl; try (right; reflexivity).
- left. constructor; intros a; unfold resampled; destruct Rlt_dec; lra.
- destruct (IH coins) as [A|A]; [left; constructor 2; exact A | right; congruence].
Qed.

(* The three noises, of scale b *)
Lemma steady_exp b eps m : 0 < b -> eps = 2 / b -> exp (- ((m - 2) / b)) = exp eps * exp (- (m / b)).
Proof. intros B ->. rewrite <- exp_plus. f_equal. field. lra. Qed.

(* Exponential(b) *)
Definition exponential_density (b x : R) := if Rlt_dec x 0 then 0 else / b * exp (- (x / b)).
Definition exponential_survival (b m : R) := if Rlt_dec m 0 then 1 else exp (- (m / b)).
Lemma exponential_tail b m : 0 < b -> 0 <= m ->
  is_RInt_gen (exponential_density b) (at_point m) (Rbar_locally p_infty) (exp (- (m / b))).
Proof.
intros B M. apply right_ext with (fun x => / b * exp (- (/ b * (x - 0)))).
- intros x X. unfold exponential_density. destruct Rlt_dec; [lra|]. f_equal. f_equal. field. lra.
- replace (exp (- (m / b))) with (/ b / / b * exp (- (/ b * (m - 0)))).
  + apply right_half, Rinv_0_lt_compat, B.
  + replace (/ b / / b) with 1 by (field; lra). rewrite Rmult_1_l. f_equal. field. lra.
Qed.
Lemma zero_before (f : R -> R) a b : a <= b -> (forall x, a < x < b -> f x = 0) -> is_RInt f a b 0.
Proof.
intros L Z. apply is_RInt_ext with (fun _ => 0).
- intros x. rewrite Rmin_left, Rmax_right by lra. intros X. symmetry. apply Z. lra.
- pose proof (is_RInt_const a b 0) as H. unfold scal in H; simpl in H; unfold mult in H; simpl in H.
  rewrite Rmult_0_r in H. exact H.
Qed.
Lemma small_by_lap f c b s : 0 <= c -> 0 < b -> (forall x, f x <= c * lap b s x) -> small f.
Proof. intros. exists c, b, s. auto. Qed.
Program Definition exponential (b : R) (B : 0 < b) : noise := {|
  density := exponential_density b; survival := exponential_survival b |}.
Next Obligation.
unfold exponential_density. destruct Rlt_dec; [lra|]. apply Rmult_le_pos; left; [apply Rinv_0_lt_compat, B | apply exp_pos].
Qed.
Next Obligation.
apply small_by_lap with 2 b 0; [lra | exact B|]. intros x. pose proof (lap_pos b 0 x B).
unfold exponential_density. destruct Rlt_dec; [lra|]. unfold lap.
rewrite Rminus_0_r, Rabs_right by lra. right. field. lra.
Qed.
Next Obligation.
unfold exponential_survival. destruct Rlt_dec as [L|L].
- replace 1 with (exp (- (0 / b))) by (unfold Rdiv; rewrite Rmult_0_l, Ropp_0, exp_0; ring).
  apply right_join with 0 0 (exp (- (0 / b))); [ring | |].
  + apply zero_before; [lra|].
    intros x X. unfold exponential_density. destruct Rlt_dec; lra.
  + apply exponential_tail; lra.
- apply exponential_tail; lra.
Qed.
Next Obligation.
unfold exponential_survival. destruct Rlt_dec; [lra|]. split; [left; apply exp_pos|].
rewrite <- exp_0. apply exp_le. assert (0 <= m / b) by (apply Rdiv_le_0_compat; lra). lra.
Qed.
Next Obligation.
unfold exponential_survival. destruct (Rlt_dec n 0), (Rlt_dec m 0); try lra.
- rewrite <- exp_0. apply exp_le. assert (0 <= n / b) by (apply Rdiv_le_0_compat; lra). lra.
- apply exp_le. assert (m / b <= n / b) by (apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, B | lra]). lra.
Qed.
Lemma exponential_mass b (B : 0 < b) : mass (exponential b B).
Proof.
right. apply integral_is; [apply (density_pos (exponential b B))|].
apply line_join with 0 0 1; [ring | |].
- apply left_ext with (fun x => 0 * exp (1 * (x - 0))).
  + intros x X. simpl. unfold exponential_density. destruct (Rlt_dec x 0); lra.
  + pose proof (left_half 0 1 0 0 Rlt_0_1) as H. replace (0 / 1 * exp (1 * (0 - 0))) with 0 in H by (unfold Rdiv; ring). exact H.
- replace 1 with (exp (- (0 / b))) by (unfold Rdiv; rewrite Rmult_0_l, Ropp_0, exp_0; ring). apply exponential_tail; lra.
Qed.
Lemma exponential_steady b (B : 0 < b) : steady (exponential b B) (2 / b).
Proof.
assert (0 < 2 / b) as E by (apply Rdiv_lt_0_compat; lra).
intros m. simpl. unfold exponential_survival. pose proof (exp_ge_1 (2 / b)).
destruct (Rlt_dec (m - 2) 0), (Rlt_dec m 0); try lra.
- apply Rle_trans with (exp (- ((m - 2) / b))).
  + rewrite <- exp_0 at 1. apply exp_le. assert (0 <= (2 - m) / b) by (apply Rdiv_le_0_compat; lra).
    replace (- ((m - 2) / b)) with ((2 - m) / b) by (field; lra). lra.
  + right. apply steady_exp; trivial.
- right. apply steady_exp; trivial.
Qed.

(* Laplace(b) *)
Definition laplace_survival (b m : R) := if Rlt_dec m 0 then 1 - exp (m / b) / 2 else exp (- (m / b)) / 2.
Lemma laplace_tail b m : 0 < b -> 0 <= m ->
  is_RInt_gen (lap b 0) (at_point m) (Rbar_locally p_infty) (exp (- (m / b)) / 2).
Proof.
intros B M. apply right_ext with (fun x => / (2 * b) * exp (- (/ b * (x - 0)))).
- intros x X. unfold lap. rewrite Rabs_right by lra. f_equal. f_equal. field. lra.
- replace (exp (- (m / b)) / 2) with (/ (2 * b) / / b * exp (- (/ b * (m - 0)))).
  + apply right_half, Rinv_0_lt_compat, B.
  + replace (/ (2 * b) / / b) with (/ 2) by (field; lra). unfold Rdiv. rewrite (Rmult_comm (exp _)). f_equal. f_equal. field. lra.
Qed.
Lemma laplace_left b m : 0 < b -> m < 0 -> is_RInt (lap b 0) m 0 (1 / 2 - exp (m / b) / 2).
Proof.
intros B M. apply is_RInt_ext with (fun x => / (2 * b) * exp (x / b)).
- intros x. rewrite Rmin_left, Rmax_right by lra. intros X. unfold lap. rewrite Rabs_left by lra. f_equal. f_equal. field. lra.
- replace (1 / 2 - exp (m / b) / 2) with (minus (exp (0 / b) / 2) (exp (m / b) / 2)).
  + apply (is_RInt_derive (fun x => exp (x / b) / 2) (fun x => / (2 * b) * exp (x / b))).
    * intros x _. auto_derive; [lra|]. unfold Rdiv. field. lra.
    * intros x _. apply (ex_derive_continuous (fun x => / (2 * b) * exp (x / b))). auto_derive. lra.
  + unfold minus, plus, opp; simpl. unfold Rdiv. rewrite Rmult_0_l, exp_0. ring.
Qed.
Program Definition laplace (b : R) (B : 0 < b) : noise := {|
  density := lap b 0; survival := laplace_survival b |}.
Next Obligation. left. apply lap_pos, B. Qed.
Next Obligation. apply small_by_lap with 1 b 0; [lra | exact B|]. intros; lra. Qed.
Next Obligation.
unfold laplace_survival. destruct Rlt_dec as [L|L]; [|apply laplace_tail; lra].
replace (1 - exp (m / b) / 2) with ((1 / 2 - exp (m / b) / 2) + exp (- (0 / b)) / 2)
  by (unfold Rdiv; rewrite Rmult_0_l, Ropp_0, exp_0; field).
apply (is_RInt_gen_Chasles (lap b 0) 0 (1 / 2 - exp (m / b) / 2) (exp (- (0 / b)) / 2)).
- apply is_RInt_gen_at_point, laplace_left; trivial.
- apply laplace_tail; lra.
Qed.
Next Obligation.
unfold laplace_survival. destruct Rlt_dec.
- pose proof (exp_pos (m / b)). assert (exp (m / b) <= 1); [|lra]. rewrite <- exp_0. apply exp_le.
  assert (0 <= - m / b) by (apply Rdiv_le_0_compat; lra). replace (m / b) with (- (- m / b)) by (field; lra). lra.
- pose proof (exp_pos (- (m / b))). assert (exp (- (m / b)) <= 1); [|lra]. rewrite <- exp_0. apply exp_le.
  assert (0 <= m / b) by (apply Rdiv_le_0_compat; lra). lra.
Qed.
Next Obligation.
assert (m / b <= n / b) by (apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, B | lra]).
unfold laplace_survival. destruct (Rlt_dec n 0), (Rlt_dec m 0); try lra.
- pose proof (exp_le (m / b) (n / b)). lra.
- assert (exp (- (n / b)) <= 1) by (rewrite <- exp_0; apply exp_le; assert (0 <= n / b) by (apply Rdiv_le_0_compat; lra); lra).
  assert (exp (m / b) <= 1); [|lra]. rewrite <- exp_0. apply exp_le.
  assert (0 <= - m / b) by (apply Rdiv_le_0_compat; lra). replace (m / b) with (- (- m / b)) by (field; lra). lra.
- pose proof (exp_le (- (n / b)) (- (m / b))). lra.
Qed.
Lemma laplace_mass b (B : 0 < b) : mass (laplace b B).
Proof. right. apply (integral_lap b 0), B. Qed.
Lemma laplace_steady b (B : 0 < b) : steady (laplace b B) (2 / b).
Proof.
assert (0 < 2 / b) as E by (apply Rdiv_lt_0_compat; lra).
intros m. simpl. unfold laplace_survival. pose proof (exp_ge_1 (2 / b)) as G.
set (g := exp (2 / b)) in *.
assert (forall x, exp ((x - 2) / b) * g = exp (x / b)) as U.
{ intros x. unfold g. rewrite <- exp_plus. f_equal. field. lra. }
destruct (Rlt_dec (m - 2) 0), (Rlt_dec m 0); try lra.
- specialize (U m). pose proof (exp_pos ((m - 2) / b)).
  assert (exp (m / b) <= 1). { rewrite <- exp_0. apply exp_le.
    assert (0 <= - m / b) by (apply Rdiv_le_0_compat; lra). replace (m / b) with (- (- m / b)) by (field; lra). lra. }
  assert (0 <= (g - 1) * (1 - (exp (m / b) + exp ((m - 2) / b)) / 2)) as Q.
  { apply Rmult_le_pos; [lra|]. assert (exp ((m - 2) / b) <= exp (m / b)) by (rewrite <- U; nra). lra. }
  rewrite <- U in *. lra.
- specialize (U m). rewrite <- (Rmult_1_l (g * _)) || idtac.
  assert (exp (- (m / b)) = g * (exp (- (m / b)) * exp (- (2 / b)))) as V.
  { unfold g. rewrite <- exp_plus, <- exp_plus. f_equal. ring. }
  set (x := exp ((m - 2) / b)) in *. assert (0 < x) by apply exp_pos.
  assert (g * exp (- (m / b)) = / x) as W.
  { unfold x, g. rewrite <- exp_Ropp, <- exp_plus. f_equal. field. lra. }
  replace (g * (exp (- (m / b)) / 2)) with (/ x / 2) by (rewrite <- W; field).
  assert (2 <= x + / x); [|lra]. apply (Rmult_le_reg_l x); trivial. rewrite Rmult_plus_distr_l, Rinv_r by lra.
  pose proof (pow2_ge_0 (x - 1)). lra.
- right. unfold g. rewrite (steady_exp b (2 / b) m B eq_refl). field.
Qed.

(* Gumbel(b) *)
Definition gumbel_density (b x : R) := / b * exp (- (x / b)) * exp (- exp (- (x / b))).
Definition gumbel_survival (b m : R) := 1 - exp (- exp (- (m / b))).
Lemma gumbel_derive b x : 0 < b -> is_derive (fun x => exp (- exp (- (x / b)))) x (gumbel_density b x).
Proof. intros B. unfold gumbel_density. auto_derive; [trivial|]. unfold Rdiv. field. lra. Qed.
Lemma gumbel_top b : 0 < b -> is_lim (fun x => exp (- exp (- (x / b)))) p_infty 1.
Proof.
intros B. rewrite <- exp_0. apply is_lim_comp_continuous; [|apply continuous_exp].
replace (Finite 0) with (Rbar_opp 0) by (simpl; f_equal; ring). apply is_lim_opp.
apply is_lim_ext with (fun x => 1 * exp (- (/ b * (x - 0)))).
- intros x. rewrite Rmult_1_l. f_equal. unfold Rdiv. ring.
- apply falls_to_zero, Rinv_0_lt_compat, B.
Qed.
Lemma gumbel_bottom b : 0 < b -> is_lim (fun x => exp (- exp (- (x / b)))) m_infty 0.
Proof.
intros B. apply is_lim_comp with m_infty; [apply is_lim_exp_m | | exists 0; discriminate].
replace m_infty with (Rbar_opp p_infty) at 2 by reflexivity. apply is_lim_opp.
apply is_lim_comp with p_infty; [apply is_lim_exp_p | | exists 0; discriminate].
intros Q [M H]. exists (- M * b). intros x X. apply H.
assert (x / b < - M) as L by (apply (Rmult_lt_reg_r b); trivial; unfold Rdiv; rewrite Rmult_assoc, Rinv_l by lra; lra). lra.
Qed.
Lemma gumbel_smooth b x : 0 < b -> ex_derive (gumbel_density b) x.
Proof. intros B. unfold gumbel_density. auto_derive. trivial. Qed.
Program Definition gumbel (b : R) (B : 0 < b) : noise := {|
  density := gumbel_density b; survival := gumbel_survival b |}.
Next Obligation.
unfold gumbel_density. pose proof (Rinv_0_lt_compat b B).
apply Rmult_le_pos; [apply Rmult_le_pos|]; left; trivial; apply exp_pos.
Qed.
Next Obligation.
apply small_by_lap with 2 b 0; [lra | exact B|]. intros x. unfold gumbel_density, lap.
rewrite Rminus_0_r. replace (2 * (/ (2 * b) * exp (- (Rabs x / b)))) with (/ b * exp (- (Rabs x / b))) by (field; lra).
rewrite Rmult_assoc. apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat, B|]. rewrite <- exp_plus. apply exp_le.
unfold Rabs. destruct Rcase_abs as [L|L].
- assert (0 < - (x / b)) as Q by (assert (0 < - x / b) by (apply Rdiv_lt_0_compat; lra); unfold Rdiv in *; lra).
  pose proof (exp_ineq1_le (- (x / b) / 2)) as T.
  replace (exp (- (x / b))) with (exp (- (x / b) / 2) * exp (- (x / b) / 2)) by (rewrite <- exp_plus; f_equal; field; lra).
  set (w := - (x / b)) in *. replace (- (- x / b)) with (- w) by (unfold w, Rdiv; ring).
  pose proof (pow2_ge_0 (w / 2 - 1)).
  assert ((1 + w / 2) * (1 + w / 2) <= exp (w / 2) * exp (w / 2)) by (apply Rmult_le_compat; lra). nra.
- pose proof (exp_pos (- (x / b))). lra.
Qed.
Next Obligation.
apply (from_point_on (fun x => exp (- exp (- (x / b))))).
- intros x. apply gumbel_derive, B.
- intros x. apply gumbel_smooth, B.
- apply gumbel_top, B.
Qed.
Next Obligation.
unfold gumbel_survival. pose proof (exp_pos (- exp (- (m / b)))).
assert (exp (- exp (- (m / b))) <= 1); [|lra]. rewrite <- exp_0. apply exp_le. pose proof (exp_pos (- (m / b))). lra.
Qed.
Next Obligation.
unfold gumbel_survival. assert (m / b <= n / b) by (apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, B | lra]).
pose proof (exp_le (- (n / b)) (- (m / b))).
assert (exp (- exp (- (m / b))) <= exp (- exp (- (n / b)))); [apply exp_le|]; lra.
Qed.
Lemma gumbel_mass b (B : 0 < b) : mass (gumbel b B).
Proof.
right. apply integral_is; [apply (density_pos (gumbel b B))|].
apply line_join with 0 (exp (- exp (- (0 / b))) - 0) (1 - exp (- exp (- (0 / b)))); [ring | |].
- apply (up_to_point (fun x => exp (- exp (- (x / b))))); [intros; apply gumbel_derive | intros; apply gumbel_smooth | apply gumbel_bottom]; exact B.
- apply (from_point_on (fun x => exp (- exp (- (x / b))))); [intros; apply gumbel_derive | intros; apply gumbel_smooth | apply gumbel_top]; exact B.
Qed.
(* 1 - exp(- g u) <= g (1 - exp(- u)) for g >= 1, u >= 0 *)
Lemma concave g u : 1 <= g -> 0 <= u -> 1 - exp (- (g * u)) <= g * (1 - exp (- u)).
Proof.
intros G U. pose (f := fun u => g * (1 - exp (- u)) - (1 - exp (- (g * u)))).
destruct (Req_dec u 0) as [->|N]; [rewrite Rmult_0_r, Ropp_0, exp_0; lra|].
assert (0 <= f u - f 0) as D.
{ destruct (MVT_gen f 0 u (fun u => g * (exp (- u) - exp (- (g * u))))) as [c [C E]].
  - intros x _. unfold f. auto_derive; [trivial|]. ring.
  - intros x _. apply derivable_continuous_pt. exists (g * (exp (- x) - exp (- (g * x)))).
    apply is_derive_Reals. unfold f. auto_derive; [trivial|]. ring.
  - rewrite Rmin_left, Rmax_right in C by lra. rewrite E.
    apply Rmult_le_pos; [apply Rmult_le_pos; [lra|] | lra].
    assert (exp (- (g * c)) <= exp (- c)) by (apply exp_le; nra). lra. }
unfold f in D. rewrite Rmult_0_r, Ropp_0, exp_0 in D. lra.
Qed.
Lemma gumbel_steady b (B : 0 < b) : steady (gumbel b B) (2 / b).
Proof.
intros m. simpl. unfold gumbel_survival. rewrite (steady_exp b (2 / b) m B eq_refl).
apply concave; [apply exp_ge_1; left; apply Rdiv_lt_0_compat; lra | left; apply exp_pos].
Qed.

(* In the papers' terms: scale 2/eps. *)
Lemma half_scale eps (E : 0 < eps) : 0 < 2 / eps /\ 2 / (2 / eps) = eps.
Proof. split; [apply Rdiv_lt_0_compat; lra | field; lra]. Qed.
(* With half the noise, 2 eps is true; Refuted.v shows that eps is not. *)
Theorem rnm_ftnl_laplace_half eps (E : 0 < eps) (B : 0 < / eps) arms sign lengths t t' paths :
  sign = 1 \/ sign = -1 -> neighbour t t' ->
  let q := laplace (/ eps) B in
  Pr (epochs q arms sign lengths t) paths <= exp (2 * eps) * Pr (epochs q arms sign lengths t') paths.
Proof.
intros G N q. apply rnm_ftnl_is_private; trivial; [lra | apply laplace_mass|].
replace (2 * eps) with (2 / / eps) by (field; lra). apply laplace_steady.
Qed.
Theorem rnm_ftnl_exponential_half eps (E : 0 < eps) (B : 0 < / eps) arms sign lengths t t' paths :
  sign = 1 \/ sign = -1 -> neighbour t t' ->
  let q := exponential (/ eps) B in
  Pr (epochs q arms sign lengths t) paths <= exp (2 * eps) * Pr (epochs q arms sign lengths t') paths.
Proof.
intros G N q. apply rnm_ftnl_is_private; trivial; [lra | apply exponential_mass|].
replace (2 * eps) with (2 / / eps) by (field; lra). apply exponential_steady.
Qed.
Theorem rnm_ftnl_laplace eps (E : 0 < eps) arms sign lengths t t' paths : sign = 1 \/ sign = -1 -> neighbour t t' ->
  let q := laplace (2 / eps) (proj1 (half_scale eps E)) in
  Pr (epochs q arms sign lengths t) paths <= exp eps * Pr (epochs q arms sign lengths t') paths.
Proof.
intros G N q. apply rnm_ftnl_is_private; trivial; [lra | apply laplace_mass|].
exact (eq_ind _ (steady q) (laplace_steady _ _) _ (proj2 (half_scale eps E))).
Qed.
Theorem rnm_ftnl_exponential eps (E : 0 < eps) arms sign lengths t t' paths : sign = 1 \/ sign = -1 -> neighbour t t' ->
  let q := exponential (2 / eps) (proj1 (half_scale eps E)) in
  Pr (epochs q arms sign lengths t) paths <= exp eps * Pr (epochs q arms sign lengths t') paths.
Proof.
intros G N q. apply rnm_ftnl_is_private; trivial; [lra | apply exponential_mass|].
exact (eq_ind _ (steady q) (exponential_steady _ _) _ (proj2 (half_scale eps E))).
Qed.
Theorem rnm_ftnl_gumbel eps (E : 0 < eps) arms sign lengths t t' paths : sign = 1 \/ sign = -1 -> neighbour t t' ->
  let q := gumbel (2 / eps) (proj1 (half_scale eps E)) in
  Pr (epochs q arms sign lengths t) paths <= exp eps * Pr (epochs q arms sign lengths t') paths.
Proof.
intros G N q. apply rnm_ftnl_is_private; trivial; [lra | apply gumbel_mass|].
exact (eq_ind _ (steady q) (gumbel_steady _ _) _ (proj2 (half_scale eps E))).
Qed.

