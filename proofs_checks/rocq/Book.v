(* What is booked is what is lost at most: the theorem behind every pure bound of `dpaudit prove`.

   A run of a learner on a table is a tree of steps.  It tosses a coin whose probabilities may depend on
   the data (a noisy maximum) or not (its own randomness), and the adversary sees the outcome: the
   actions are such outcomes.  Or it releases a number with Laplace noise: from then on all that it does
   may depend on the released number, which the adversary may see or not; here she does not.  No other
   way leads from the data to the actions.

   within e m n: the runs m and n, of the same learner on two tables, book at most e on every path and
   for every value of the noise: |s - s'| / b for a release with scale b, and c for a coin none of whose
   outcomes is more than exp(c) times as likely on one table as on the other.  This is what the accountant
   in dpaudit books.  Then every set of paths is at most exp(e) times as likely.

   Modelled: adaptive choice of everything (coins, scales, what is released when) by all earlier outcomes
   and released numbers; real-valued noise with its density and an integral over the line (Integral.v).
   Not modelled: floating-point numbers. *)
Require Import Integral.
From Coq Require Import Reals Lra List.
Import ListNotations.
Open Scope R_scope.

Inductive steps : Type :=
| Stop
| Toss (chance : nat -> R) (next : nat -> steps)
| Release (value scale : R) (next : R -> steps).

(* The probability that the outcomes are those of a path. *)
Fixpoint P (m : steps) (path : list nat) : R :=
  match m with
  | Stop => match path with [] => 1 | _ => 0 end
  | Toss chance next => match path with [] => 0 | a :: rest => chance a * P (next a) rest end
  | Release value scale next => integral (fun y => lap scale value y * P (next y) path)
  end.

(* Chances are in [0, 1] and scales positive. *)
Fixpoint proper (m : steps) : Prop :=
  match m with
  | Stop => True
  | Toss chance next => forall a, 0 <= chance a <= 1 /\ proper (next a)
  | Release _ scale next => 0 < scale /\ forall y, proper (next y)
  end.

Inductive within : R -> steps -> steps -> Prop :=
| stop e : 0 <= e -> within e Stop Stop
| toss e c p q next next' : 0 <= c -> (forall a, p a <= exp c * q a) ->
    (forall a, within (e - c) (next a) (next' a)) -> within e (Toss p next) (Toss q next')
| release e s s' b next next' :
    (forall y, within (e - Rabs (s - s') / b) (next y) (next' y)) ->
    within e (Release s b next) (Release s' b next').

Lemma exp_le x y : x <= y -> exp x <= exp y.
Proof. intros [L|E]; [left; apply exp_increasing, L | rewrite E; right; reflexivity]. Qed.
Lemma exp_ge_1 x : 0 <= x -> 1 <= exp x.
Proof. intros. rewrite <- exp_0. apply exp_le; trivial. Qed.

Lemma lap_shift b s s' y : 0 < b -> lap b s y <= exp (Rabs (s - s') / b) * lap b s' y.
Proof.
intros B. unfold lap.
replace (exp (Rabs (s - s') / b) * (/ (2 * b) * exp (- (Rabs (y - s') / b))))
  with (/ (2 * b) * (exp (Rabs (s - s') / b) * exp (- (Rabs (y - s') / b)))) by ring.
rewrite <- exp_plus. apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat; lra|].
apply exp_le. assert (Rabs (y - s') <= Rabs (y - s) + Rabs (s - s')) as T.
{ replace (y - s') with ((y - s) + (s - s')) by ring. apply Rabs_triang. }
assert (Rabs (y - s') / b <= (Rabs (y - s) + Rabs (s - s')) / b) as Q.
{ apply Rmult_le_compat_r; trivial. left; apply Rinv_0_lt_compat, B. }
unfold Rdiv in *. lra.
Qed.

Lemma below_lap b s f : 0 < b -> (forall y, 0 <= f y <= 1) ->
  (forall y, 0 <= lap b s y * f y <= lap b s y) /\ small (fun y => lap b s y * f y).
Proof.
intros B F. assert (forall y, 0 <= lap b s y * f y <= lap b s y) as O.
{ intros y. pose proof (lap_pos b s y B). specialize (F y). split; [apply Rmult_le_pos; lra|].
  rewrite <- (Rmult_1_r (lap b s y)) at 2. apply Rmult_le_compat_l; lra. }
split; trivial. exists 1, b, s. repeat split; trivial; [lra|]. intros y. specialize (O y). lra.
Qed.

Theorem P_is_a_probability m path : proper m -> 0 <= P m path <= 1.
Proof.
revert path; induction m as [|chance next IH|value scale next IH]; intros path G; simpl.
- destruct path; lra.
- destruct path as [|a rest]; [lra|]. destruct (G a) as [C N]. specialize (IH a rest N).
  split; [apply Rmult_le_pos; lra|]. replace 1 with (1 * 1) by lra. apply Rmult_le_compat; lra.
- destruct G as [B N].
  destruct (below_lap scale value (fun y => P (next y) path) B (fun y => IH y path (N y))) as [O S].
  split; [apply integral_pos; trivial; intros y; apply O|].
  rewrite <- (integral_lap scale value B). apply integral_le; trivial.
  exists 1, scale, value. repeat split; trivial; [lra|]. intros; lra.
Qed.

Theorem booked_is_lost_at_most e m n path : proper m -> proper n -> within e m n ->
  P m path <= exp e * P n path.
Proof.
intros G H W. revert path. induction W as [e E|e c p q next next' C Q W IH|e s s' b next next' W IH]; intros path; simpl in *.
- pose proof (exp_ge_1 e E). destruct path; lra.
- destruct path as [|a rest]; [lra|]. destruct (G a) as [Ga Gn], (H a) as [Ha Hn].
  specialize (IH a Gn Hn rest). pose proof (P_is_a_probability (next a) rest Gn) as [Z _].
  replace (exp e * (q a * P (next' a) rest)) with ((exp c * q a) * (exp (e - c) * P (next' a) rest)).
  + apply Rmult_le_compat; trivial. lra.
  + replace (exp e) with (exp c * exp (e - c)); [ring | rewrite <- exp_plus; f_equal; ring].
- destruct G as [B Gn], H as [_ Hn].
  pose proof (fun y => P_is_a_probability (next y) path (Gn y)) as X.
  pose proof (fun y => P_is_a_probability (next' y) path (Hn y)) as X'.
  destruct (below_lap b s' _ B X') as [O' S'].
  rewrite <- integral_scale; [| left; apply exp_pos | intros y; apply O' | exact S'].
  apply integral_le.
  + intros y. destruct (below_lap b s _ B X) as [O _]. split; [apply O|].
    specialize (IH y (Gn y) (Hn y) path). pose proof (lap_shift b s s' y B) as L.
    replace (exp e * (lap b s' y * P (next' y) path))
      with ((exp (Rabs (s - s') / b) * lap b s' y) * (exp (e - Rabs (s - s') / b) * P (next' y) path)).
    * apply Rmult_le_compat; trivial; [left; apply lap_pos, B | apply X].
    * replace (exp e) with (exp (Rabs (s - s') / b) * exp (e - Rabs (s - s') / b)); [ring|].
      rewrite <- exp_plus. f_equal. ring.
  + exists (exp e), b, s'. repeat split; trivial; [left; apply exp_pos|].
    intros y. apply Rmult_le_compat_l; [left; apply exp_pos | apply O'].
Qed.

(* Of a set of paths, given as a list. *)
Fixpoint Pr (m : steps) (paths : list (list nat)) : R :=
  match paths with [] => 0 | path :: rest => P m path + Pr m rest end.
Corollary every_event e m n paths : proper m -> proper n -> within e m n ->
  Pr m paths <= exp e * Pr n paths.
Proof.
intros G H W. induction paths as [|path rest IH]; simpl; [lra|].
pose proof (booked_is_lost_at_most e m n path G H W). lra.
Qed.

Lemma within_more e e' m n : within e m n -> e <= e' -> within e' m n.
Proof.
intros W. revert e'. induction W as [e E|e c p q next next' C Q W IH|e s s' b next next' W IH]; intros e' L.
- constructor. lra.
- apply toss with c; trivial. intros a. apply IH. lra.
- constructor. intros y. apply IH. lra.
Qed.

