(* The binary tree and the hybrid mechanism of Chan, Shi & Song, as DP-UCB, DP-UCB-BOUND (Tossou &
   Dimitrakakis 2016) and DP-TS (Hu & Hegde 2022, Theorem 1) use them: eps-differentially private where each
   reward is in nodes whose budgets 1/scale add up to eps at most, for every number of arms and rounds.

   The algorithm: in each round it chooses an arm with probabilities that depend on the public history
   only; after the n-th pull of an arm it releases nodes, each the sum of a stretch of the arm's own
   rewards with Laplace noise; which nodes, and their scales, depends on n only (the schedule).
   Neighbours as in Lazy.v.  `nodes_are_private` is about any schedule; tree and hybrid are schedules, and
   their budgets are computed.

   Modelled and not modelled: as in Book.v.  The hybrid mechanism is the one that the file
   dpaudit/machine/trees.py runs: at n = 2^k the sum of the last block is released, at other n a node of
   the tree over the items since. *)
From Coq Require Import Reals Lra Lia List Arith.
Require Import Integral Book Lazy.
Import ListNotations.
Open Scope R_scope.
Open Scope bool_scope.

Record node := { first : nat; last : nat; scale : R }.   (* the rewards number first, ..., last - 1 *)
Definition schedule := nat -> list node.                 (* what is released after the n-th pull *)
Definition sum (xs : list R) : R := fold_right Rplus 0 xs.
Definition value (xs : list R) (v : node) : R := sum (firstn (last v - first v) (skipn (first v) xs)).

Fixpoint release_all (vs : list node) (xs : list R) (h : history) (a : nat) (next : history -> steps) : steps :=
  match vs with
  | [] => next h
  | v :: rest => Release (value xs v) (scale v) (fun y => release_all rest xs (h ++ [(a, Some y)]) a next)
  end.
Definition add (a : nat) (x : R) (obs : nat -> list R) : nat -> list R :=
  fun b => if Nat.eqb a b then obs b ++ [x] else obs b.
Fixpoint play (choose : history -> nat -> R) (s : schedule) (h : history) (obs : nat -> list R) (t : table) : steps :=
  match t with
  | [] => Stop
  | u :: rest => Toss (choose h) (fun a =>
      let seen := add a (u a) obs in
      release_all (s (length (seen a))) (seen a) (h ++ [(a, None)]) a (fun h' => play choose s h' seen rest))
  end.
Definition run choose s t := play choose s [] (fun _ => []) t.

(* What reward number i costs in a node, after the n-th pull, and after the pulls n + 1, ..., n + k. *)
Definition in_node (i : nat) (v : node) : bool := (first v <=? i) && (i <? last v).
Fixpoint cost (i : nat) (vs : list node) : R :=
  match vs with [] => 0 | v :: rest => (if in_node i v then / scale v else 0) + cost i rest end.
Fixpoint costs (s : schedule) (i n k : nat) : R :=
  match k with O => 0 | S k => cost i (s (S n)) + costs s i (S n) k end.
Definition positive (s : schedule) := forall n v, In v (s n) -> 0 < scale v.

Lemma cost_pos i vs : (forall v, In v vs -> 0 < scale v) -> 0 <= cost i vs.
Proof.
induction vs as [|v rest IH]; intros P; simpl; [lra|].
assert (0 <= cost i rest) by (apply IH; intros; apply P; right; trivial).
destruct (in_node i v); [|lra]. pose proof (Rinv_0_lt_compat _ (P v (or_introl eq_refl))). lra.
Qed.
Lemma costs_pos s i : positive s -> forall k n, 0 <= costs s i n k.
Proof.
intros P. induction k as [|k IH]; intros n; simpl; [lra|].
pose proof (cost_pos i (s (S n)) (P (S n))). specialize (IH (S n)). lra.
Qed.
Lemma costs_more s i : positive s -> forall k n, costs s i n k <= costs s i n (S k).
Proof.
intros P. induction k as [|k IH]; intros n.
- simpl. pose proof (cost_pos i (s (S n)) (P (S n))). lra.
- change (cost i (s (S n)) + costs s i (S n) k <= cost i (s (S n)) + costs s i (S n) (S k)). specialize (IH (S n)). lra.
Qed.

(* Two lists that differ in number i only, by 1 at most *)
Inductive differ : nat -> list R -> list R -> Prop :=
| now x y rest : Rabs (x - y) <= 1 -> differ 0 (x :: rest) (y :: rest)
| on x i rest rest' : differ i rest rest' -> differ (S i) (x :: rest) (x :: rest').
Lemma differ_add i xs ys z : differ i xs ys -> differ i (xs ++ [z]) (ys ++ [z]).
Proof. induction 1; simpl; constructor; trivial. Qed.
Lemma differ_last xs x y : Rabs (x - y) <= 1 -> differ (length xs) (xs ++ [x]) (xs ++ [y]).
Proof. intros D. induction xs; simpl; constructor; trivial. Qed.
Lemma differ_length i xs ys : differ i xs ys -> length xs = length ys /\ (i < length xs)%nat.
Proof. induction 1; simpl; [split; [reflexivity|lia] | destruct IHdiffer; split; [congruence|lia]]. Qed.
Lemma differ_skipn i xs ys : differ i xs ys -> forall n,
  (n <= i)%nat /\ differ (i - n) (skipn n xs) (skipn n ys) \/ (i < n)%nat /\ skipn n xs = skipn n ys.
Proof.
induction 1 as [x y rest D|x i rest rest' D IH]; intros [|n]; simpl.
- left. split; [lia | constructor; trivial].
- right. split; [lia | reflexivity].
- left. split; [lia | constructor; trivial].
- destruct (IH n) as [[A B]|[A B]]; [left; split; [lia|exact B] | right; split; [lia|exact B]].
Qed.
Lemma differ_firstn i xs ys : differ i xs ys -> forall n, Rabs (sum (firstn n xs) - sum (firstn n ys)) <= 1 /\
  ((n <= i)%nat -> firstn n xs = firstn n ys).
Proof.
induction 1 as [x y rest D|x i rest rest' D IH]; intros [|n]; simpl.
- rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. split; [lra | trivial].
- replace (x + sum (firstn n rest) - (y + sum (firstn n rest))) with (x - y) by ring. split; [trivial | lia].
- rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. split; [lra | trivial].
- destruct (IH n) as [A B].
  replace (x + sum (firstn n rest) - (x + sum (firstn n rest'))) with (sum (firstn n rest) - sum (firstn n rest')) by ring.
  split; [exact A | intros L; rewrite B by lia; reflexivity].
Qed.
Lemma value_near i xs ys v : differ i xs ys -> Rabs (value xs v - value ys v) <= if in_node i v then 1 else 0.
Proof.
intros D. unfold value, in_node.
assert (forall zs : list R, Rabs (sum zs - sum zs) <= 0) as Z by (intros; rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra).
destruct (differ_skipn i xs ys D (first v)) as [[A B]|[A ->]].
- destruct (differ_firstn _ _ _ B (last v - first v)) as [E F].
  destruct (Nat.leb_spec (first v) i); [|lia]. destruct (Nat.ltb_spec i (last v)); simpl; [exact E|].
  rewrite F by lia. apply Z.
- destruct (Nat.leb_spec (first v) i); [lia|]. simpl. apply Z.
Qed.

Lemma releases_same vs xs a : forall h next next' e, (forall h, within e (next h) (next' h)) ->
  within e (release_all vs xs h a next) (release_all vs xs h a next').
Proof.
induction vs as [|v rest IH]; intros h next next' e N; simpl; [apply N|].
constructor. intros y. rewrite free. apply IH, N.
Qed.
Lemma releases_near i vs xs ys a : differ i xs ys -> (forall v, In v vs -> 0 < scale v) -> forall h next next' e,
  (forall h, within (e - cost i vs) (next h) (next' h)) ->
  within e (release_all vs xs h a next) (release_all vs ys h a next').
Proof.
intros D. induction vs as [|v rest IH]; intros P h next next' e N; simpl in *.
- specialize (N h). replace (e - 0) with e in N by ring. exact N.
- constructor. intros y. apply IH; [intros; apply P; right; trivial|]. intros g.
  apply within_more with (e - ((if in_node i v then / scale v else 0) + cost i rest)); [apply N|].
  pose proof (value_near i xs ys v D) as V. pose proof (Rinv_0_lt_compat _ (P v (or_introl eq_refl))) as S.
  assert (Rabs (value xs v - value ys v) / scale v <= if in_node i v then / scale v else 0); [|lra].
  unfold Rdiv. destruct (in_node i v); nra.
Qed.

Lemma play_proper choose s t : (forall h a, 0 <= choose h a <= 1) -> positive s -> forall h obs, proper (play choose s h obs t).
Proof.
intros C P. induction t as [|u rest IH]; intros h obs; simpl; trivial. intros a. split; [apply C|].
generalize (h ++ [(a, None)]). generalize (P (length (add a (u a) obs a))).
induction (s (length (add a (u a) obs a))) as [|v vs I]; intros Q g; simpl; [apply IH|].
split; [apply Q; left; trivial | intros y; apply I; intros; apply Q; right; trivial].
Qed.
Lemma play_same choose s t : forall h obs obs', (forall a, obs a = obs' a) -> within 0 (play choose s h obs t) (play choose s h obs' t).
Proof.
induction t as [|u rest IH]; intros h obs obs' E; simpl; [constructor; lra|].
apply toss with 0; [lra | intros; rewrite exp_0; lra|]. intros a. replace (0 - 0) with 0 by ring.
assert (forall b, add a (u a) obs b = add a (u a) obs' b) as A by (intros b; unfold add; destruct (Nat.eqb a b); rewrite E; reflexivity).
rewrite (A a). apply releases_same. intros g. apply IH, A.
Qed.
Lemma play_one choose s t b i : positive s -> forall h obs obs', differ i (obs b) (obs' b) -> (forall a, a <> b -> obs a = obs' a) ->
  within (costs s i (length (obs b)) (length t)) (play choose s h obs t) (play choose s h obs' t).
Proof.
intros P. induction t as [|u rest IH]; intros h obs obs' D E; simpl length.
- simpl. constructor. lra.
- change (within (costs s i (length (obs b)) (S (length rest))) (Toss (choose h) (fun a =>
    let seen := add a (u a) obs in release_all (s (length (seen a))) (seen a) (h ++ [(a, None)]) a (fun h' => play choose s h' seen rest)))
    (Toss (choose h) (fun a => let seen := add a (u a) obs' in
    release_all (s (length (seen a))) (seen a) (h ++ [(a, None)]) a (fun h' => play choose s h' seen rest)))).
  apply toss with 0; [lra | intros; rewrite exp_0; lra|]. intros a. rewrite Rminus_0_r. cbv zeta.
  destruct (Nat.eq_dec a b) as [->|N].
  + assert (add b (u b) obs b = obs b ++ [u b]) as X by (unfold add; rewrite Nat.eqb_refl; reflexivity).
    assert (add b (u b) obs' b = obs' b ++ [u b]) as Y by (unfold add; rewrite Nat.eqb_refl; reflexivity).
    pose proof (differ_add i _ _ (u b) D) as D'.
    assert (length (obs' b ++ [u b]) = length (obs b ++ [u b])) as L by (symmetry; apply (differ_length _ _ _ D')).
    rewrite X, Y, L.
    assert (length (obs b ++ [u b]) = S (length (obs b))) as M by (rewrite app_length; simpl; lia).
    apply releases_near with i; trivial; [apply P|]. intros g.
    specialize (IH g (add b (u b) obs) (add b (u b) obs')). rewrite X, Y, M in IH. rewrite M.
    replace (costs s i (length (obs b)) (S (length rest)) - cost i (s (S (length (obs b)))))
      with (costs s i (S (length (obs b))) (length rest)) by (simpl; ring).
    apply IH; trivial. intros c C. unfold add. destruct (Nat.eqb_spec b c); [congruence | apply E, C].
  + assert (add a (u a) obs a = add a (u a) obs' a) as X by (unfold add; rewrite Nat.eqb_refl, E by exact N; reflexivity).
    rewrite X. apply releases_same. intros g.
    assert (add a (u a) obs b = obs b) as Y by (unfold add; destruct (Nat.eqb_spec a b); [congruence|reflexivity]).
    assert (add a (u a) obs' b = obs' b) as Z by (unfold add; destruct (Nat.eqb_spec a b); [congruence|reflexivity]).
    apply within_more with (costs s i (length (obs b)) (length rest)); [|apply costs_more, P].
    specialize (IH g (add a (u a) obs) (add a (u a) obs')). rewrite Y, Z in IH. apply IH; trivial.
    intros c C. unfold add. destruct (Nat.eqb a c); rewrite E by exact C; reflexivity.
Qed.
Lemma play_near choose s eps t t' : 0 <= eps -> positive s -> (forall i k, costs s i 0 k <= eps) -> neighbour t t' ->
  forall h obs, within eps (play choose s h obs t) (play choose s h obs t').
Proof.
intros Z P B N. induction N as [u v rest U V|u rest rest' N IH]; intros h obs; simpl;
(apply toss with 0; [lra | intros; rewrite exp_0; lra|]); intros a; rewrite Rminus_0_r.
- assert (add a (u a) obs a = obs a ++ [u a]) as X by (unfold add; rewrite Nat.eqb_refl; reflexivity).
  assert (add a (v a) obs a = obs a ++ [v a]) as Y by (unfold add; rewrite Nat.eqb_refl; reflexivity).
  assert (Rabs (u a - v a) <= 1) as D by (specialize (U a); specialize (V a); apply Rabs_le; lra).
  assert (differ (length (obs a)) (obs a ++ [u a]) (obs a ++ [v a])) as E by (apply differ_last, D).
  assert (length (obs a ++ [u a]) = S (length (obs a))) as L by (rewrite app_length; simpl; lia).
  assert (length (obs a ++ [v a]) = S (length (obs a))) as M by (rewrite app_length; simpl; lia).
  rewrite X, Y, L, M. apply releases_near with (length (obs a)); trivial; [apply P|]. intros g.
  apply within_more with (costs s (length (obs a)) (S (length (obs a))) (length rest)).
  + pose proof (play_one choose s rest a (length (obs a)) P g (add a (u a) obs) (add a (v a) obs)) as Q.
    rewrite X, Y, L in Q. apply Q; trivial. intros c C. unfold add. destruct (Nat.eqb_spec a c); congruence.
  + (* costs from the start include those from here on *)
    assert (forall m n k, costs s (length (obs a)) n (m + k) = costs s (length (obs a)) n m + costs s (length (obs a)) (n + m) k) as A.
    { induction m as [|m IHm]; intros n k; simpl; [rewrite Nat.add_0_r; ring|].
      rewrite IHm. replace (S n + m)%nat with (n + S m)%nat by lia. ring. }
    specialize (B (length (obs a)) (length (obs a) + S (length rest))%nat). rewrite A in B. simpl in B.
    pose proof (costs_pos s (length (obs a)) P (length (obs a)) 0). lra.
- apply releases_same. intros g. apply IH.
Qed.

Theorem nodes_are_private choose s eps t t' paths : 0 <= eps -> (forall h a, 0 <= choose h a <= 1) -> positive s ->
  (forall i k, costs s i 0 k <= eps) -> neighbour t t' ->
  Pr (run choose s t) paths <= exp eps * Pr (run choose s t') paths.
Proof. intros. apply every_event; [apply play_proper | apply play_proper | apply play_near]; trivial. Qed.

(* Budgets.  A family releases one node at most after each pull, and has a reward in one of them at most. *)
Definition family (f : schedule) (i : nat) (b : R) := 0 < b /\ exists target, forall n, (1 <= n)%nat ->
  f n = [] \/ exists v, f n = [v] /\ scale v = b /\ (in_node i v = true -> n = target).
Lemma family_costs f i b : family f i b -> forall k n, costs f i n k <= / b.
Proof.
intros [B [t T]]. pose proof (Rinv_0_lt_compat b B) as C.
assert (forall k n, (t <= n)%nat -> costs f i n k <= 0) as Z.
{ induction k as [|k IH]; intros n L; simpl; [lra|]. specialize (IH (S n) ltac:(lia)).
  destruct (T (S n) ltac:(lia)) as [->|[v [-> [_ H]]]]; simpl; [lra|].
  destruct (in_node i v); [specialize (H eq_refl); lia | lra]. }
induction k as [|k IH]; intros n; simpl; [lra|]. specialize (IH (S n)).
destruct (T (S n) ltac:(lia)) as [->|[v [-> [S H]]]]; simpl; [lra|].
destruct (in_node i v); [|lra]. rewrite S. specialize (Z k (Datatypes.S n)). specialize (H eq_refl).
assert (costs f i (Datatypes.S n) k <= 0) by (apply Z; lia). lra.
Qed.
Lemma cost_app i vs ws : cost i (vs ++ ws) = cost i vs + cost i ws.
Proof. induction vs; simpl; [ring | rewrite IHvs; ring]. Qed.
Definition both (f g : schedule) : schedule := fun n => f n ++ g n.
Lemma costs_both f g i : forall k n, costs (both f g) i n k = costs f i n k + costs g i n k.
Proof. induction k as [|k IH]; intros n; simpl; [ring|]. rewrite IH. unfold both at 1. rewrite cost_app. ring. Qed.

Lemma multiple l n i : (n mod 2 ^ l = 0)%nat -> (n - 2 ^ l <= i)%nat -> (i < n)%nat -> (n = 2 ^ l * (i / 2 ^ l + 1))%nat.
Proof.
intros M A B. pose proof (Nat.pow_nonzero 2 l) as Z. set (m := (2 ^ l)%nat) in *. assert (m <> 0)%nat as N by lia.
apply Nat.div_exact in M; trivial. set (q := (n / m)%nat) in *. destruct q as [|q]; [lia|].
assert (q = i / m)%nat; [|subst; lia]. apply Nat.div_unique with (i - m * q)%nat; nia.
Qed.

(* The binary tree of some levels: after n items, the node of the last 2^l, l the trailing zeros of n. *)
Definition completes (l j : nat) : bool := (j mod 2 ^ l =? 0) && negb (j mod 2 ^ S l =? 0).
Definition level (b : R) (l : nat) : schedule := fun n =>
  if completes l n then [{| first := n - 2 ^ l; last := n; scale := b |}] else [].
Fixpoint tree (b : R) (levels : nat) : schedule :=
  match levels with O => fun _ => [] | S l => both (tree b l) (level b l) end.
Lemma level_family b l i : 0 < b -> family (level b l) i b.
Proof.
intros B. split; trivial. exists (2 ^ l * (i / 2 ^ l + 1))%nat. intros n N. unfold level.
destruct (completes l n) eqn:E; [right | left; reflexivity]. eexists; split; [reflexivity|]. split; [reflexivity|].
unfold in_node; cbn [first last]. intros H. apply andb_prop in H. destruct H as [H I]. apply Nat.leb_le in H. apply Nat.ltb_lt in I.
unfold completes in E. apply andb_prop in E. destruct E as [E _]. apply Nat.eqb_eq in E. apply multiple; trivial.
Qed.
Lemma tree_costs b levels i k : 0 < b -> forall n, costs (tree b levels) i n k <= INR levels / b.
Proof.
intros B n. induction levels as [|l IH].
- simpl. unfold Rdiv. rewrite Rmult_0_l. clear. revert n. induction k; intros; simpl; [lra | specialize (IHk (S n)); lra].
- change (tree b (S l)) with (both (tree b l) (level b l)). rewrite costs_both, S_INR.
  pose proof (family_costs _ i b (level_family b l i B) k n). unfold Rdiv in *. lra.
Qed.
Lemma tree_positive b levels : 0 < b -> positive (tree b levels).
Proof.
intros B n v. induction levels as [|l IH]; simpl; [contradiction|]. unfold both. intros H. apply in_app_or in H.
destruct H as [H|H]; [apply IH, H|]. unfold level in H. destruct (completes l n); [|contradiction].
destruct H as [<-|[]]. exact B.
Qed.
Theorem binary_tree_is_private choose eps levels t t' paths : 0 < eps -> (1 <= levels)%nat ->
  (forall h a, 0 <= choose h a <= 1) -> neighbour t t' ->
  let s := tree (INR levels / eps) levels in
  Pr (run choose s t) paths <= exp eps * Pr (run choose s t') paths.
Proof.
intros E L C N s. assert (0 < INR levels) as I by (apply lt_0_INR; lia).
assert (0 < INR levels / eps) as B by (apply Rdiv_lt_0_compat; trivial).
apply nodes_are_private; trivial; [lra | apply tree_positive, B|]. intros i k.
replace eps with (INR levels / (INR levels / eps)) by (field; lra). apply tree_costs, B.
Qed.

(* The hybrid mechanism.  With c = 0 the sums of blocks are released at n = 1, 2, 4, ... (DP-UCB), with c = 1 at
   n = 1, 3, 7, ... (DP-TS); each half of it has the budget e. *)
Definition blocks (c : nat) (e : R) : schedule := fun n => let m := (n + c)%nat in
  if (m =? 2 ^ Nat.log2 m)%nat then [{| first := m / 2 - c; last := n; scale := / e |}] else [].
Definition inner (c : nat) (e : R) (l : nat) : schedule := fun n =>
  let m := (n + c)%nat in let k := Nat.log2 m in let j := (m - 2 ^ k)%nat in
  if (0 <? j) && (l <? k) && completes l j
  then [{| first := n - 2 ^ l; last := n; scale := INR k / e |}] else [].
Fixpoint inners (c : nat) (e : R) (levels : nat) : schedule :=
  match levels with O => fun _ => [] | S l => both (inners c e l) (inner c e l) end.
Definition hybrid (c : nat) (e : R) (levels : nat) : schedule := both (blocks c e) (inners c e levels).

Lemma blocks_family c e i : (c <= 1)%nat -> 0 < e -> family (blocks c e) i (/ e).
Proof.
intros C E. split; [apply Rinv_0_lt_compat, E|].
exists ((match i + c with O => 1 | S _ => 2 ^ S (Nat.log2 (i + c)) end) - c)%nat.
intros n N. unfold blocks. destruct (Nat.eqb_spec (n + c) (2 ^ Nat.log2 (n + c))) as [P|]; [right | left; reflexivity].
eexists; split; [reflexivity|]. split; [reflexivity|].
unfold in_node; cbn [first last]. intros H. apply andb_prop in H. destruct H as [H I]. apply Nat.leb_le in H. apply Nat.ltb_lt in I.
set (m := (n + c)%nat) in *. set (k := Nat.log2 m) in *.
assert (m / 2 <= i + c)%nat as A by lia. assert (i + c < m)%nat as D by (unfold m; lia).
enough (m = match i + c with O => 1 | S _ => 2 ^ S (Nat.log2 (i + c)) end)%nat as Q by (rewrite <- Q; unfold m; lia).
assert (1 <= m)%nat as M by (unfold m; lia). clear H I. clearbody k. clearbody m.
destruct (i + c)%nat as [|r] eqn:J.
- destruct m as [|[|m]]; trivial; [lia|]. exfalso.
  assert (1 <= S (S m) / 2)%nat by (apply Nat.div_le_lower_bound; lia). lia.
- destruct k as [|k']; [simpl in P; lia|].
  assert (Nat.log2 (S r) = k') as ->; [|exact P].
  apply Nat.log2_unique; [lia|]. rewrite P in A, D.
  replace (2 ^ S k')%nat with (2 ^ k' * 2)%nat in A by (simpl; lia). rewrite Nat.div_mul in A by lia. split; [exact A | exact D].
Qed.
Lemma inner_inside c e l n i v : inner c e l n = [v] -> in_node i v = true ->
  (l < Nat.log2 (i + c))%nat /\ scale v = INR (Nat.log2 (i + c)) / e /\
  (n + c = 2 ^ Nat.log2 (i + c) + 2 ^ l * ((i + c - 2 ^ Nat.log2 (i + c)) / 2 ^ l + 1))%nat.
Proof.
unfold inner. set (m := (n + c)%nat). set (k := Nat.log2 m). set (j := (m - 2 ^ k)%nat).
destruct ((0 <? j) && (l <? k) && completes l j) eqn:Q; [|discriminate]. intros V I.
injection V as <-. apply andb_prop in Q. destruct Q as [Q T]. apply andb_prop in Q. destruct Q as [J L].
apply Nat.ltb_lt in J. apply Nat.ltb_lt in L. unfold completes in T. apply andb_prop in T. destruct T as [T _]. apply Nat.eqb_eq in T.
unfold in_node in I; cbn [first last] in I. apply andb_prop in I. destruct I as [I K]. apply Nat.leb_le in I. apply Nat.ltb_lt in K.
assert (2 ^ l <> 0)%nat as Z by (apply Nat.pow_nonzero; lia).
assert (2 ^ l <= j)%nat as W.
{ pose proof T as T'. apply Nat.div_exact in T'; trivial. destruct (j / 2 ^ l)%nat; nia. }
assert (0 < m)%nat as M by lia. pose proof (Nat.log2_spec m M) as [_ U]. fold k in U.
assert (Nat.log2 (i + c) = k) as G by (apply Nat.log2_unique; unfold m, j in *; lia).
rewrite G. repeat split; trivial. simpl.
rewrite <- (multiple l j (i + c - 2 ^ k)); trivial; unfold m, j in *; lia.
Qed.
Lemma inner_costs c e l i : 0 < e -> forall k n,
  costs (inner c e l) i n k <= if (l <? Nat.log2 (i + c))%nat then e / INR (Nat.log2 (i + c)) else 0.
Proof.
intros E. assert (forall n, inner c e l n = [] \/ exists v, inner c e l n = [v]) as F.
{ intros n. unfold inner. destruct ((0 <? _) && _ && _); [right; eexists; reflexivity | left; reflexivity]. }
set (K := Nat.log2 (i + c)). destruct (Nat.ltb_spec l K) as [L|L].
- assert (0 < INR K) as Q by (apply lt_0_INR; lia).
  assert (forall k n, (2 ^ K + 2 ^ l * ((i + c - 2 ^ K) / 2 ^ l + 1) <= n + c)%nat -> costs (inner c e l) i n k <= 0) as Z.
  { induction k as [|k IH]; intros n H; cbn [costs]; [lra|]. specialize (IH (S n) ltac:(lia)).
    destruct (F (S n)) as [->|[v V]]; [simpl; lra|]. rewrite V; simpl. destruct (in_node i v) eqn:I; [|lra].
    destruct (inner_inside c e l (S n) i v V I) as [_ [_ X]]. fold K in X. lia. }
  induction k as [|k IH]; intros n; cbn [costs].
  + left. apply Rdiv_lt_0_compat; trivial.
  + specialize (IH (S n)). destruct (F (S n)) as [->|[v V]]; [simpl; lra|]. rewrite V; simpl.
    destruct (in_node i v) eqn:I; [|lra].
    destruct (inner_inside c e l (S n) i v V I) as [_ [X Y]]. fold K in X, Y.
    assert (costs (inner c e l) i (S n) k <= 0) by (apply Z; lia). rewrite X.
    replace (/ (INR K / e)) with (e / INR K) by (field; lra). lra.
- induction k as [|k IH]; intros n; cbn [costs]; [lra|]. specialize (IH (S n)).
  destruct (F (S n)) as [->|[v V]]; [simpl; lra|]. rewrite V; simpl. destruct (in_node i v) eqn:I; [|lra].
  destruct (inner_inside c e l (S n) i v V I) as [X _]. fold K in X. lia.
Qed.
Lemma inners_costs c e levels i k n : 0 < e -> costs (inners c e levels) i n k <= e.
Proof.
intros E. set (K := Nat.log2 (i + c)).
assert (costs (inners c e levels) i n k <= INR (Nat.min levels K) * (e / INR K)) as A.
{ induction levels as [|l IH].
  - simpl. rewrite Rmult_0_l. clear. revert n. induction k; intros; simpl; [lra | specialize (IHk (S n)); lra].
  - change (inners c e (S l)) with (both (inners c e l) (inner c e l)). rewrite costs_both.
    pose proof (inner_costs c e l i E k n) as B. fold K in B.
    destruct (Nat.ltb_spec l K).
    + rewrite (Nat.min_l (S l)) by lia. rewrite (Nat.min_l l) in IH by lia. rewrite S_INR. lra.
    + rewrite (Nat.min_r (S l)) by lia. rewrite (Nat.min_r l) in IH by lia. lra. }
eapply Rle_trans; [exact A|]. destruct (Nat.eq_dec K 0) as [->|Z]; [rewrite Nat.min_0_r; simpl; lra|].
assert (0 < INR K) as Q by (apply lt_0_INR; lia).
assert (INR (Nat.min levels K) <= INR K) as M by (apply le_INR; lia).
assert (0 < e / INR K) as P by (apply Rdiv_lt_0_compat; trivial).
apply Rle_trans with (INR K * (e / INR K)); [apply Rmult_le_compat_r; lra | right; field; lra].
Qed.
Lemma hybrid_positive c e levels : 0 < e -> positive (hybrid c e levels).
Proof.
intros E n v H. unfold hybrid, both in H. apply in_app_or in H. destruct H as [H|H].
- unfold blocks in H. destruct (_ =? _)%nat; [|contradiction]. destruct H as [<-|[]]. apply Rinv_0_lt_compat, E.
- induction levels as [|l IH]; simpl in H; [contradiction|]. unfold both in H. apply in_app_or in H.
  destruct H as [H|H]; [apply IH, H|]. unfold inner in H. destruct ((0 <? _) && _ && _) eqn:Q; [|contradiction].
  destruct H as [<-|[]]. simpl. apply andb_prop in Q. destruct Q as [Q _]. apply andb_prop in Q. destruct Q as [_ Q].
  apply Nat.ltb_lt in Q. apply Rdiv_lt_0_compat; trivial. apply lt_0_INR. lia.
Qed.
Lemma hybrid_costs c e levels i k : (c <= 1)%nat -> 0 < e -> costs (hybrid c e levels) i 0 k <= 2 * e.
Proof.
intros C E. unfold hybrid. rewrite costs_both.
pose proof (family_costs _ i _ (blocks_family c e i C E) k 0). rewrite Rinv_inv in * by lra.
pose proof (inners_costs c e levels i k 0 E). lra.
Qed.
(* Half the budget for each half; without that, 2 eps (Refuted.v: and not eps). *)
Theorem hybrid_halves_is_private c choose eps levels t t' paths : (c <= 1)%nat -> 0 < eps ->
  (forall h a, 0 <= choose h a <= 1) -> neighbour t t' ->
  let s := hybrid c (eps / 2) levels in
  Pr (run choose s t) paths <= exp eps * Pr (run choose s t') paths.
Proof.
intros C E H N s. apply nodes_are_private; trivial; [lra | apply hybrid_positive; lra|]. intros i k.
replace eps with (2 * (eps / 2)) by field. apply hybrid_costs; trivial. lra.
Qed.
Theorem hybrid_is_private_at_twice_eps c choose eps levels t t' paths : (c <= 1)%nat -> 0 < eps ->
  (forall h a, 0 <= choose h a <= 1) -> neighbour t t' ->
  let s := hybrid c eps levels in
  Pr (run choose s t) paths <= exp (2 * eps) * Pr (run choose s t') paths.
Proof.
intros C E H N s. apply nodes_are_private; trivial; [lra | apply hybrid_positive; lra|]. intros i k.
apply hybrid_costs; trivial.
Qed.
