(* FTNL, the first paragraph of Section 5 of Hu, Huang & Mehta (2021): follow the leader among noisy sums, with
   the budget eps/K for each of the K actions.  It is eps-differentially private, for every K, every
   horizon and epochs of any lengths.

   The algorithm: the rounds are cut into epochs; at the end of an epoch each action's sum over this
   epoch's rounds is released with Lap(K/eps), and the action of the largest released number (the first
   of them) is played throughout the next epoch; then all sums are forgotten.  Neighbours: two tables with
   entries in [0, 1] that differ in one round, in any of its entries.  The theorem is about every set of
   sequences of actions.

   Modelled and not modelled: as in Book.v. *)
From Coq Require Import Reals Lra List Arith.
Require Import Integral Book Lazy NoisyMax.
Import ListNotations.
Open Scope R_scope.

(* All numbers of a list are released. *)
Fixpoint release_each (values : list R) (b : R) (next : list R -> steps) : steps :=
  match values with
  | [] => next []
  | s :: rest => Release s b (fun y => release_each rest b (fun ys => next (y :: ys)))
  end.
Fixpoint leader (best : nat) (most : R) (j : nat) (ys : list R) : nat :=
  match ys with
  | [] => best
  | y :: rest => if Rlt_dec most y then leader j y (S j) rest else leader best most (S j) rest
  end.
Definition first_largest (ys : list R) : nat := match ys with [] => 0%nat | y :: rest => leader 0 y 1 rest end.
Fixpoint ftnl (arms : nat) (eps : R) (lengths : list nat) (t : table) : steps :=
  match lengths with
  | [] => Stop
  | n :: rest => if Nat.ltb (length t) n then Stop
    else release_each (sums arms 1 (firstn n t)) (INR arms / eps) (fun ys =>
      Toss (fun a => if Nat.eqb a (first_largest ys) then 1 else 0) (fun _ => ftnl arms eps rest (skipn n t)))
  end.

Lemma release_each_proper b values : 0 < b -> forall next, (forall ys, proper (next ys)) -> proper (release_each values b next).
Proof. intros B. induction values as [|s rest IH]; intros next N; simpl; [apply N | split; [exact B | intros y; apply IH; intros; apply N]]. Qed.
Lemma release_each_same b values : forall e next next', (forall ys, within e (next ys) (next' ys)) ->
  within e (release_each values b next) (release_each values b next').
Proof.
induction values as [|s rest IH]; intros e next next' N; simpl; [apply N|].
constructor. intros y. rewrite free. apply IH. intros; apply N.
Qed.
(* Numbers that differ by 1 at most cost 1/b each. *)
Lemma release_each_near b values values' : 0 < b -> close values values' -> forall e next next',
  (forall ys, within (e - INR (length values) / b) (next ys) (next' ys)) ->
  within e (release_each values b next) (release_each values' b next').
Proof.
intros B C. induction C as [|s s' rest rest' D C IH]; intros e next next' N; cbn [release_each length] in *.
- specialize (N []). simpl in N. replace (e - 0 / b) with e in N by (field; lra). exact N.
- constructor. intros y. apply IH. intros ys. apply within_more with (e - INR (S (length rest)) / b); [apply N|].
  rewrite S_INR. assert (Rabs (s - s') / b <= 1 / b) by (apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, B | exact D]).
  unfold Rdiv in *. lra.
Qed.

Lemma ftnl_proper arms eps lengths : (0 < arms)%nat -> 0 < eps -> forall t, proper (ftnl arms eps lengths t).
Proof.
intros A E. induction lengths as [|n rest IH]; intros t; simpl; trivial.
destruct (Nat.ltb (length t) n); simpl; trivial. apply release_each_proper.
- apply Rdiv_lt_0_compat; [apply lt_0_INR|]; trivial.
- intros ys a. split; [destruct (Nat.eqb a (first_largest ys)); lra | apply IH].
Qed.
Lemma ftnl_same arms eps lengths : forall t, within 0 (ftnl arms eps lengths t) (ftnl arms eps lengths t).
Proof.
induction lengths as [|n rest IH]; intros t; simpl; [constructor; lra|].
destruct (Nat.ltb (length t) n); [constructor; lra|]. apply release_each_same. intros ys.
apply toss with 0; [lra | intros; rewrite exp_0; lra|]. intros _. rewrite Rminus_0_r. apply IH.
Qed.
Lemma ftnl_near arms eps lengths : (0 < arms)%nat -> 0 < eps -> forall t t', neighbour t t' ->
  within eps (ftnl arms eps lengths t) (ftnl arms eps lengths t').
Proof.
intros A E. assert (0 < INR arms) as K by (apply lt_0_INR, A).
induction lengths as [|n rest IH]; intros t t' N; simpl; [constructor; lra|].
rewrite (neighbour_length t t' N). destruct (Nat.ltb (length t') n); [constructor; lra|].
destruct (cut t t' N n) as [[B ->]|[-> B]].
- apply release_each_near; [apply Rdiv_lt_0_compat; trivial | apply sums_near; [left; reflexivity | exact B]|].
  intros ys. unfold sums. rewrite map_length, seq_length. replace (eps - INR arms / (INR arms / eps)) with 0 by (field; lra).
  apply toss with 0; [lra | intros; rewrite exp_0; lra|]. intros _. rewrite Rminus_0_r. apply ftnl_same.
- apply release_each_same. intros ys. apply toss with 0; [lra | intros; rewrite exp_0; lra|].
  intros _. rewrite Rminus_0_r. apply IH, B.
Qed.
Theorem ftnl_is_private arms eps lengths t t' paths : (0 < arms)%nat -> 0 < eps -> neighbour t t' ->
  Pr (ftnl arms eps lengths t) paths <= exp eps * Pr (ftnl arms eps lengths t') paths.
Proof. intros A E N. apply every_event; [apply ftnl_proper | apply ftnl_proper | apply ftnl_near]; trivial. Qed.
