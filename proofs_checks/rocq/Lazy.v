(* Theorem 2 and Theorem 4 of Hu, Huang & Mehta (2021), Theorem 3 of Hu & Hegde (2022), and their kin:
   every lazy, forgetful bandit algorithm is eps-differentially private, for every number of arms, every
   horizon, and batches of any lengths.

   The algorithm: in each round it chooses an arm with probabilities that depend on the public history only
   (which arms were pulled, which numbers were released); it adds the arm's reward to the arm's own sum;
   where the public history says that the arm's batch is complete, the sum is released with Lap(1/eps)
   and set to zero.  Neighbours: two tables of rewards in [0, 1] that differ in one round, in any of its
   rewards.  The theorem is about every set of paths of actions.

   Instances: Anytime-Lazy-UCB (below, in full), Lazy-DP-TS, AdaP-UCB, AdaP-KLUCB, DP-SE: they differ in
   `choose` and in `ends`.  Book.v says what is modelled and what is not. *)
Require Import Integral Book.
From Coq Require Import Reals Lra List Arith.
Import ListNotations.
Open Scope R_scope.

Definition row := nat -> R.                       (* the rewards of one round, by arm *)
Definition table := list row.
Definition in_unit (u : row) := forall a, 0 <= u a <= 1.
Inductive neighbour : table -> table -> Prop :=
| here u v rest : in_unit u -> in_unit v -> neighbour (u :: rest) (v :: rest)
| later u rest rest' : neighbour rest rest' -> neighbour (u :: rest) (u :: rest').

Definition history := list (nat * option R).      (* an arm, and what was released after its pull *)
Record algorithm := {
  choose : history -> nat -> R;                   (* the probability of each arm *)
  ends : history -> nat -> bool;                  (* whether a pull of the arm completes its batch *)
  chances : forall h a, 0 <= choose h a <= 1 }.

Definition put (a : nat) (x : R) (sums : nat -> R) : nat -> R := fun b => if Nat.eqb a b then x else sums b.
Fixpoint play (A : algorithm) (eps : R) (h : history) (sums : nat -> R) (t : table) : steps :=
  match t with
  | [] => Stop
  | u :: rest =>
    Toss (choose A h) (fun a =>
      if ends A h a
      then Release (sums a + u a) (/ eps) (fun y => play A eps (h ++ [(a, Some y)]) (put a 0 sums) rest)
      else play A eps (h ++ [(a, None)]) (put a (sums a + u a) sums) rest)
  end.
Definition run A eps t := play A eps [] (fun _ => 0) t.

Lemma play_proper A eps t : 0 < eps -> forall h sums, proper (play A eps h sums t).
Proof.
intros E. induction t as [|u rest IH]; intros h sums; simpl; trivial.
intros a. split; [apply chances|]. destruct (ends A h a); [|apply IH].
split; [apply Rinv_0_lt_compat, E | intros; apply IH].
Qed.

Lemma free e b s : e - Rabs (s - s) / b = e.
Proof. rewrite (Rminus_diag_eq s s), Rabs_R0 by reflexivity. unfold Rdiv. ring. Qed.
Lemma same A eps t : forall h sums sums', (forall a, sums a = sums' a) ->
  within 0 (play A eps h sums t) (play A eps h sums' t).
Proof.
induction t as [|u rest IH]; intros h sums sums' S; simpl; [constructor; lra|].
apply toss with 0; [lra | intros; rewrite exp_0; lra|].
intros a. rewrite (S a). destruct (ends A h a).
- constructor. intros y. rewrite free. replace (0 - 0) with 0 by ring.
  apply IH. intros b. unfold put. destruct (Nat.eqb a b); trivial.
- replace (0 - 0) with 0 by ring. apply IH. intros b. unfold put. destruct (Nat.eqb a b); trivial.
Qed.

Lemma one_sum A eps t : 0 < eps -> forall b h sums sums', Rabs (sums b - sums' b) <= 1 ->
  (forall a, a <> b -> sums a = sums' a) -> within eps (play A eps h sums t) (play A eps h sums' t).
Proof.
intros E b. induction t as [|u rest IH]; intros h sums sums' B S; simpl; [constructor; lra|].
apply toss with 0; [lra | intros; rewrite exp_0; lra|].
intros a. replace (eps - 0) with eps by ring. destruct (Nat.eq_dec a b) as [->|N].
- replace (sums b + u b) with (sums' b + u b + (sums b - sums' b)) by ring.
  destruct (ends A h b).
  + constructor. intros y.
    replace (sums' b + u b + (sums b - sums' b) - (sums' b + u b)) with (sums b - sums' b) by ring.
    apply within_more with 0.
    * apply same. intros a. unfold put. destruct (Nat.eqb_spec b a) as [_|N]; [reflexivity | apply S; congruence].
    * unfold Rdiv. rewrite Rinv_inv by lra.
      assert (Rabs (sums b - sums' b) * eps <= 1 * eps) by (apply Rmult_le_compat_r; lra). lra.
  + apply IH.
    * unfold put. rewrite Nat.eqb_refl.
      replace (sums' b + u b + (sums b - sums' b) - (sums' b + u b)) with (sums b - sums' b) by ring. exact B.
    * intros a N. unfold put. destruct (Nat.eqb_spec b a) as [Q|_]; [congruence | apply S, N].
- rewrite (S a N). destruct (ends A h a).
  + constructor. intros y. rewrite free.
    apply IH; [|intros c C]; unfold put;
      [destruct (Nat.eqb_spec a b) | destruct (Nat.eqb_spec a c)]; try congruence; auto.
  + apply IH; [|intros c C]; unfold put;
      [destruct (Nat.eqb_spec a b) | destruct (Nat.eqb_spec a c)]; try congruence; auto.
Qed.

Lemma near A eps t t' : 0 < eps -> neighbour t t' -> forall h sums,
  within eps (play A eps h sums t) (play A eps h sums t').
Proof.
intros E N. induction N as [u v rest U V|u rest rest' N IH]; intros h sums; simpl;
(apply toss with 0; [lra | intros; rewrite exp_0; lra|]); intros a; replace (eps - 0) with eps by ring.
- assert (Rabs (u a - v a) <= 1) as D by (specialize (U a); specialize (V a); apply Rabs_le; lra).
  destruct (ends A h a).
  + constructor. intros y. replace (sums a + u a - (sums a + v a)) with (u a - v a) by ring.
    apply within_more with 0; [apply same; reflexivity|].
    unfold Rdiv. rewrite Rinv_inv by lra.
    assert (Rabs (u a - v a) * eps <= 1 * eps) by (apply Rmult_le_compat_r; lra). lra.
  + apply one_sum with a; trivial; unfold put.
    * rewrite Nat.eqb_refl. replace (sums a + u a - (sums a + v a)) with (u a - v a) by ring. exact D.
    * intros b B. destruct (Nat.eqb_spec a b); congruence.
- destruct (ends A h a); [|apply IH].
  constructor. intros y. rewrite free. apply IH.
Qed.

Theorem lazy_is_private A eps t t' paths : 0 < eps -> neighbour t t' ->
  Pr (run A eps t) paths <= exp eps * Pr (run A eps t') paths.
Proof. intros E N. apply every_event; [apply play_proper | apply play_proper | apply near]; trivial. Qed.

(* Anytime-Lazy-UCB, Algorithm 1 of Hu, Huang & Mehta, with arms 0, ..., arms - 1. *)
Fixpoint pulls (h : history) (a : nat) : nat :=
  match h with [] => 0%nat | (b, _) :: rest => if Nat.eqb b a then S (pulls rest a) else pulls rest a end.
Fixpoint released (h : history) (a : nat) : nat * R :=          (* how often, and the last number *)
  match h with
  | [] => (0%nat, 0)
  | (b, Some y) :: rest => let (n, z) := released rest a in
      if Nat.eqb b a then (S n, if Nat.eqb n 0 then y else z) else (n, z)
  | (_, None) :: rest => released rest a
  end.
(* The r-th batch (from 0) has 2^r pulls: it ends when the pulls, with this one, are 2^(r+1) - 1. *)
Definition doubling (h : history) (a : nat) : bool :=
  let n := S (S (pulls h a)) in Nat.eqb n (2 ^ Nat.log2 n).
Definition index (eps : R) (h : history) (a : nat) : R :=
  let (n, total) := released h a in
  let observed := 2 ^ (n - 1) in
  let log_t := ln (INR (S (length h))) in
  total / observed + sqrt (3 * log_t / observed) + 3 * log_t / (eps * observed).
Fixpoint leader (eps : R) (h : history) (arms : nat) : nat :=
  match arms with
  | O | S O => 0%nat
  | S a => let best := leader eps h a in if Rlt_dec (index eps h best) (index eps h a) then a else best
  end.
Definition pulled (arms : nat) (eps : R) (h : history) : nat :=
  if Nat.ltb (length h) arms then length h else leader eps h arms.
Program Definition anytime_lazy_ucb (arms : nat) (eps : R) : algorithm := {|
  choose h a := if Nat.eqb a (pulled arms eps h) then 1 else 0;
  ends := doubling |}.
Next Obligation. destruct (Nat.eqb a (pulled arms eps h)); lra. Qed.

Corollary theorem_2_of_hu_huang_mehta arms eps t t' paths : 0 < eps -> neighbour t t' ->
  Pr (run (anytime_lazy_ucb arms eps) eps t) paths <= exp eps * Pr (run (anytime_lazy_ucb arms eps) eps t') paths.
Proof. apply lazy_is_private. Qed.

