(* DP-UCB, Algorithm 2 of Tossou & Dimitrakakis (2016): the mechanisms of all arms receive an item in every
   round, the reward if the arm was pulled and 0 if it was not, so that what is released when depends on
   the round only.  As published, with epsilon for each half of the hybrid mechanism, it is
   2 epsilon-differentially private (the paper says epsilon); with half of it for each half, epsilon.

   The algorithm: in each round it chooses an arm with probabilities that depend on the public history
   only; then, after n rounds, it releases for every arm the nodes of the schedule at n, each the sum of a
   stretch of the arm's items with Laplace noise.  Neighbours as in Lazy.v; the theorem is about every set
   of paths of actions, for every number of arms and rounds.

   Modelled and not modelled: as in Trees.v, whose schedules these are. *)
From Coq Require Import Reals Lra Lia List Arith.
Require Import Integral Book Lazy Trees.
Import ListNotations.
Open Scope R_scope.

(* An item for every arm. *)
Definition insert (a : nat) (x : R) (items : nat -> list R) : nat -> list R :=
  fun b => items b ++ [if Nat.eqb a b then x else 0].
Fixpoint release_arms (arms : list nat) (vs : list node) (items : nat -> list R) (h : history)
  (next : history -> steps) : steps :=
  match arms with
  | [] => next h
  | a :: rest => release_all vs (items a) h a (fun h' => release_arms rest vs items h' next)
  end.
Fixpoint rounds (choose : history -> nat -> R) (s : schedule) (arms n : nat) (h : history)
  (items : nat -> list R) (t : table) : steps :=
  match t with
  | [] => Stop
  | u :: rest => Toss (choose h) (fun a =>
      let now := insert a (u a) items in
      release_arms (seq 0 arms) (s (S n)) now (h ++ [(a, None)]) (fun h' => rounds choose s arms (S n) h' now rest))
  end.
Definition dp_ucb choose s arms t := rounds choose s arms 0 [] (fun _ => []) t.

Lemma arms_same arms vs items items' : (forall a, In a arms -> items a = items' a) -> forall h next next' e,
  (forall h, within e (next h) (next' h)) -> within e (release_arms arms vs items h next) (release_arms arms vs items' h next').
Proof.
induction arms as [|a rest IH]; intros E h next next' e N; simpl; [apply N|].
rewrite (E a) by (left; reflexivity). apply releases_same. intros g. apply IH; trivial.
intros; apply E; right; trivial.
Qed.
Lemma arms_near i b arms vs items items' : NoDup arms -> differ i (items b) (items' b) ->
  (forall a, a <> b -> items a = items' a) -> (forall v, In v vs -> 0 < scale v) -> forall h next next' e,
  (forall h, within (e - cost i vs) (next h) (next' h)) ->
  within e (release_arms arms vs items h next) (release_arms arms vs items' h next').
Proof.
intros D F E P. induction D as [|a rest A D IH]; intros h next next' e N; simpl.
- apply within_more with (e - cost i vs); [apply N|]. pose proof (cost_pos i vs P). lra.
- destruct (Nat.eq_dec a b) as [->|Q].
  + apply releases_near with i; trivial. intros g. apply arms_same; trivial.
    intros c C. apply E. intros ->. contradiction.
  + rewrite (E a Q). apply releases_same. intros g. apply IH. exact N.
Qed.

Lemma release_all_proper vs xs a next : (forall v, In v vs -> 0 < scale v) -> (forall h, proper (next h)) ->
  forall h, proper (release_all vs xs h a next).
Proof.
intros P N. induction vs as [|v vs IH]; intros h; simpl; [apply N|].
split; [apply P; left; trivial | intros y; apply IH; intros; apply P; right; trivial].
Qed.
Lemma release_arms_proper arms vs items next : (forall v, In v vs -> 0 < scale v) -> (forall h, proper (next h)) ->
  forall h, proper (release_arms arms vs items h next).
Proof. intros P N. induction arms as [|a rest IH]; intros h; simpl; [apply N | apply release_all_proper; trivial]. Qed.
Lemma rounds_proper choose s arms t : (forall h a, 0 <= choose h a <= 1) -> positive s ->
  forall n h items, proper (rounds choose s arms n h items t).
Proof.
intros C P. induction t as [|u rest IH]; intros n h items; simpl; trivial. intros a. split; [apply C|].
apply release_arms_proper; [apply P | intros; apply IH].
Qed.

Lemma rounds_same choose s arms t : forall n h items items', (forall a, items a = items' a) ->
  within 0 (rounds choose s arms n h items t) (rounds choose s arms n h items' t).
Proof.
induction t as [|u rest IH]; intros n h items items' E; simpl; [constructor; lra|].
apply toss with 0; [lra | intros; rewrite exp_0; lra|]. intros a. rewrite Rminus_0_r.
assert (forall b, insert a (u a) items b = insert a (u a) items' b) as I by (intros b; unfold insert; rewrite E; reflexivity).
apply arms_same; [intros; apply I|]. intros g. apply IH, I.
Qed.
Lemma rounds_one choose s arms b i t : positive s -> forall n h items items', differ i (items b) (items' b) ->
  (forall a, a <> b -> items a = items' a) ->
  within (costs s i n (length t)) (rounds choose s arms n h items t) (rounds choose s arms n h items' t).
Proof.
intros P. induction t as [|u rest IH]; intros n h items items' D E; [constructor; simpl; lra|].
change (costs s i n (length (u :: rest))) with (cost i (s (S n)) + costs s i (S n) (length rest)).
apply toss with 0; [lra | intros; rewrite exp_0; lra|]. intros a. rewrite Rminus_0_r. cbv zeta.
assert (differ i (insert a (u a) items b) (insert a (u a) items' b)) as D' by (apply differ_add, D).
assert (forall c, c <> b -> insert a (u a) items c = insert a (u a) items' c) as E'
  by (intros c Q; unfold insert; rewrite E by exact Q; reflexivity).
apply arms_near with i b; trivial; [apply seq_NoDup | apply P|]. intros g.
replace (cost i (s (S n)) + costs s i (S n) (length rest) - cost i (s (S n))) with (costs s i (S n) (length rest)) by ring.
apply IH; trivial.
Qed.
Lemma costs_join s i m : forall n k, costs s i n (m + k) = costs s i n m + costs s i (n + m) k.
Proof.
induction m as [|m IH]; intros n k; simpl; [rewrite Nat.add_0_r; ring|].
rewrite IH. replace (S n + m)%nat with (n + S m)%nat by lia. ring.
Qed.
Lemma rounds_near choose s eps arms t t' : positive s -> (forall i k, costs s i 0 k <= eps) -> neighbour t t' ->
  forall n h items, within eps (rounds choose s arms n h items t) (rounds choose s arms n h items t').
Proof.
intros P B N. induction N as [u v rest U V|u rest rest' N IH]; intros n h items; simpl;
(apply toss with 0; [lra | intros; rewrite exp_0; lra|]); intros a; rewrite Rminus_0_r.
- set (i := length (items a)).
  assert (Rabs (u a - v a) <= 1) as D by (specialize (U a); specialize (V a); apply Rabs_le; lra).
  assert (differ i (insert a (u a) items a) (insert a (v a) items a)) as E
    by (unfold insert, i; rewrite Nat.eqb_refl; apply differ_last, D).
  assert (forall c, c <> a -> insert a (u a) items c = insert a (v a) items c) as F
    by (intros c C; unfold insert; destruct (Nat.eqb_spec a c); [congruence | reflexivity]).
  apply arms_near with i a; trivial; [apply seq_NoDup | apply P|]. intros g.
  apply within_more with (costs s i (S n) (length rest)); [apply rounds_one with a; trivial|].
  pose proof (B i (n + S (length rest))%nat) as C. rewrite costs_join in C. simpl in C.
  pose proof (costs_pos s i P n 0). lra.
- apply arms_same; [reflexivity|]. intros g. apply IH.
Qed.
Theorem all_arms_are_private choose s eps arms t t' paths : (forall h a, 0 <= choose h a <= 1) -> positive s ->
  (forall i k, costs s i 0 k <= eps) -> neighbour t t' ->
  Pr (dp_ucb choose s arms t) paths <= exp eps * Pr (dp_ucb choose s arms t') paths.
Proof. intros C P B N. apply every_event; [apply rounds_proper | apply rounds_proper | apply rounds_near]; trivial. Qed.

(* As published: each half of the hybrid mechanism has epsilon. *)
Theorem dp_ucb_is_private_at_twice_eps choose eps levels arms t t' paths : 0 < eps ->
  (forall h a, 0 <= choose h a <= 1) -> neighbour t t' ->
  let s := hybrid 0 eps levels in
  Pr (dp_ucb choose s arms t) paths <= exp (2 * eps) * Pr (dp_ucb choose s arms t') paths.
Proof.
intros E C N s. apply all_arms_are_private; trivial; [apply hybrid_positive; trivial|].
intros i k. apply hybrid_costs; [lia | trivial].
Qed.
Theorem dp_ucb_halves_is_private choose eps levels arms t t' paths : 0 < eps ->
  (forall h a, 0 <= choose h a <= 1) -> neighbour t t' ->
  let s := hybrid 0 (eps / 2) levels in
  Pr (dp_ucb choose s arms t) paths <= exp eps * Pr (dp_ucb choose s arms t') paths.
Proof.
intros E C N s. apply all_arms_are_private; trivial; [apply hybrid_positive; lra|]. intros i k.
replace eps with (2 * (eps / 2)) by field. apply hybrid_costs; [lia | lra].
Qed.
