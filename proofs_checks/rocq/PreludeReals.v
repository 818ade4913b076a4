(* What the certificates' identities, derivatives and inductions are proved with: facts about exp, ln,
   roots and powers, and tactics that put them together.  Nothing here is an axiom. *)
From Dpaudit Require Export PreludeCompute.
Open Scope R_scope.

(* A function grows where its derivative is not negative. *)
Lemma grow_to (f f' : R -> R) (a b : R) :
  (forall x, a <= x <= b -> is_derive f x (f' x)) ->
  (forall x, a <= x <= b -> 0 <= f' x) -> forall x, a <= x <= b -> f a <= f x.
Proof.
intros D P x ax.
destruct (Req_dec a x) as [E|N]; [rewrite E; lra|].
assert (a < x) as lt by lra.
destruct (MVT_gen f a x f') as [c [Hc E]].
- intros y Hy. rewrite Rmin_left, ?Rmax_right in Hy by lra. apply D; lra.
- intros y Hy. rewrite Rmin_left, Rmax_right in Hy by lra.
  apply derivable_continuous_pt. exists (f' y). apply is_derive_Reals, D; lra.
- rewrite Rmin_left, Rmax_right in Hc by lra.
  assert (0 <= f' c * (x - a)) by (apply Rmult_le_pos; [apply P|]; lra).
  lra.
Qed.

Lemma over (n p d : R) : 0 < p -> 0 <= n -> d * p = n -> 0 <= d.
Proof. intros P N E. apply (Rmult_le_reg_r p); lra. Qed.

Ltac one_side := intros; match goal with
 | |- _ <= 0 => idtac | |- 0 <= _ => idtac
 | |- ?a <= ?b => apply Rminus_le
 | |- ?a < ?b => apply Rminus_lt
 | |- ?a >= ?b => apply Rle_ge, Rminus_le
 | |- ?a > ?b => apply Rlt_gt, Rminus_lt end.

Ltac sign := (* evident signs *)
  match goal with
  | |- 0 <= exp _ => left; apply exp_pos
  | |- 0 < exp _ => apply exp_pos
  | |- 0 <= sqrt _ => apply sqrt_pos
  | |- 0 <= PI => left; apply PI_RGT_0
  | |- 0 < PI => apply PI_RGT_0
  | |- 0 <= Rabs _ => apply Rabs_pos
  | |- 0 <= _ => lra
  | |- 0 < _ => lra
  | |- 0 <= _ ^ 2 => apply pow2_ge_0
  | |- 0 <= _ ^ _ => apply pow_le; sign
  | |- 0 < _ ^ _ => apply pow_lt; sign
  | |- 0 < sqrt _ => apply sqrt_lt_R0; sign
  | |- 0 <= _ * _ => apply Rmult_le_pos; sign
  | |- 0 < _ * _ => apply Rmult_lt_0_compat; sign
  | |- 0 <= _ / _ => apply Rdiv_le_0_compat; sign
  | |- 0 < _ / _ => apply Rdiv_lt_0_compat; sign
  | |- 0 <= _ + _ => apply Rplus_le_le_0_compat; sign
  | |- 0 < _ + _ => (apply Rplus_lt_le_0_compat; sign) || (apply Rplus_le_lt_0_compat; sign)
  | |- 0 < ln _ => rewrite <- ln_1; apply ln_increasing; lra
  | |- 0 < _ => interval
  | |- 0 <= _ => interval
  | |- 0 < _ => nra
  | |- 0 <= _ => nra
  | |- _ <> 0 => apply Rgt_not_eq; red; sign
  end.

Ltac side := intros; repeat split; first
  [ lra | exact I
  | (apply Rgt_not_eq; red; solve [sign])
  | (apply Rlt_not_eq; solve [lra|nra])
  | solve [sign] | interval | nra ].

(* exp and ln laws, then field *)
Ltac alg :=
  intros; first
  [ lra | reflexivity
  | solve [field; side] | solve [field_simplify_eq; [ring|side]]
  ].

(* Exponentials, logarithms, roots. *)
Lemma exp_nat (n : nat) x : exp (INR n * x) = exp x ^ n.
Proof. induction n. simpl. rewrite Rmult_0_l, exp_0; reflexivity.
rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus, IHn. simpl; ring. Qed.
Lemma ln_over x y : 0 < x -> 0 < y -> ln (x / y) = ln x - ln y.
Proof. intros. unfold Rdiv. rewrite ln_mult, ln_Rinv; auto using Rinv_0_lt_compat. Qed.
Lemma ln_root x : 0 < x -> ln (sqrt x) = ln x / 2.
Proof. intros. rewrite <- (sqrt_sqrt x) at 2 by lra. assert (0 < sqrt x) by (apply sqrt_lt_R0; lra).
rewrite ln_mult by assumption. lra. Qed.
Lemma ln_powr x n : 0 < x -> ln (x ^ n) = INR n * ln x.
Proof. intros. induction n. simpl. rewrite ln_1. ring.
rewrite S_INR. simpl pow. rewrite ln_mult; [|assumption|apply pow_lt; assumption]. rewrite IHn. ring. Qed.
Lemma by_ln x y : 0 < x -> 0 < y -> ln x = ln y -> x = y.
Proof. intros. apply ln_inv; assumption. Qed.
Lemma by_square x y : 0 <= x -> 0 <= y -> x ^ 2 = y ^ 2 -> x = y.
Proof. intros X Y E. apply Rsqr_inj; trivial. unfold Rsqr. lra. Qed.
Lemma root_square x : 0 <= x -> sqrt x ^ 2 = x.
Proof. apply pow2_sqrt. Qed.

Fixpoint sigma (f : R -> R) (lo : R) (n : nat) : R :=
  match n with O => f (lo + INR 0) | S m => sigma f lo m + f (lo + INR (S m)) end.

(* every exp whose exponent is a whole multiple of g becomes a power of exp g *)
Ltac one_exp t g n :=
  match n with
  | 0%nat => replace (exp t) with 1 by (rewrite <- exp_0; f_equal; field)
  | _ => first
    [ replace (exp t) with (exp g ^ n) by (rewrite <- exp_nat; f_equal; simpl INR; field; side)
    | replace (exp t) with (/ (exp g ^ n)) by (rewrite <- exp_nat, <- exp_Ropp; f_equal; simpl INR; field; side) ]
  end.
Ltac norm_exp g :=
  let G := fresh "G" in
  assert (G : 0 < exp g) by apply exp_pos;
  let y := fresh "y" in
  set (y := exp g) in *;
  repeat match goal with |- context [exp ?t] =>
    unfold y; first [one_exp t g 0%nat | one_exp t g 1%nat | one_exp t g 2%nat | one_exp t g 3%nat | one_exp t g 4%nat
          | one_exp t g 5%nat | one_exp t g 6%nat | one_exp t g 7%nat | one_exp t g 8%nat | one_exp t g 9%nat
          | one_exp t g 10%nat | one_exp t g 12%nat| one_exp t g 24%nat | one_exp t g 233%nat]; fold y end.
Ltac push_ln := repeat (first
  [ rewrite ln_exp | rewrite ln_1 | rewrite ln_mult by side | rewrite ln_over by side | rewrite ln_Rinv by side
  | rewrite ln_root by side | rewrite ln_powr by side ]); simpl INR.
Ltac square_out := repeat (first [rewrite Rpow_mult_distr | rewrite root_square by side | rewrite <- Rinv_pow by side | rewrite exp_nat ]).
Ltac laws := intros; first
  [ solve [apply by_ln; [sign|sign|]; push_ln; field; side]
  | solve [push_ln; field; side]
  | solve [rewrite ?exp_Ropp, ?exp_plus; field; side]
  | solve [apply by_square; [sign|sign|]; unfold Rdiv; square_out; field; side]
  | solve [field_simplify; square_out; field; side]
  | solve [f_equal; alg]
  | solve [f_equal; f_equal; alg]
  | solve [rewrite ?sqrt_mult, ?sqrt_div, ?sqrt_pow2 by side; field; side] ].
Ltac whole_power k b n := replace (exp (k * ln b)) with (b ^ n)
  by (replace k with (INR n) by (simpl; lra); rewrite exp_nat, exp_ln by side; reflexivity).
Ltac split_exp := unfold Rdiv, Rminus;
  repeat (first [rewrite Rmult_plus_distr_r | rewrite exp_plus | rewrite Ropp_mult_distr_l_reverse | rewrite exp_Ropp ]);
  repeat match goal with |- context [exp (?k * ln ?b)] =>
    first [ replace (exp (k * ln b)) with b by (replace k with 1 by lra; rewrite Rmult_1_l, exp_ln by side; reflexivity)
          | whole_power k b 2%nat | whole_power k b 3%nat | whole_power k b 4%nat | whole_power k b 5%nat | whole_power k b 6%nat | whole_power k b 12%nat ] end.
Ltac laws3 := intros; first
  [ solve [split_exp; field; repeat split; first [apply Rgt_not_eq; apply exp_pos | side]]
  | solve [repeat match goal with |- context [exp (?k * ln ?b)] => first [replace (exp (k * ln b)) with 1 by (replace k with 0 by lra; rewrite Rmult_0_l, exp_0; reflexivity) | whole_power k b 1%nat | whole_power k b 2%nat | whole_power k b 3%nat] end; field; side]
  | solve [simpl; split_exp; field; repeat split; first [apply Rgt_not_eq; apply exp_pos | side]]
  | solve [rewrite ?ln_over, ?ln_mult, ?ln_powr, ?ln_root, ?ln_Rinv, ?ln_exp by side; simpl; field; side]
  | solve [apply by_ln; [sign|sign|]; push_ln; simpl; field; side]
  | solve [apply by_square; [sign|sign|]; unfold Rdiv; repeat rewrite Rpow_mult_distr; repeat rewrite root_square by side; repeat rewrite pow_inv; repeat rewrite root_square by side; field; side ] ].

(* Roots of squares, squares of roots, exponentials of logarithms. *)
Ltac split_roots := repeat (first
  [ rewrite sqrt_mult by side | rewrite sqrt_div by side | rewrite sqrt_inv by side
  | rewrite sqrt_pow2 by side | rewrite sqrt_square by side ]).
Ltac squares := repeat match goal with |- context [sqrt ?x ^ 2] => rewrite (pow2_sqrt x) by side end.
Lemma exp_minus x b n : 0 < b -> x = - (INR n * ln b) -> exp x = / b ^ n.
Proof. intros B ->. rewrite exp_Ropp, exp_nat, exp_ln by assumption. reflexivity. Qed.
Lemma exp_plus_ln x b n : 0 < b -> x = INR n * ln b -> exp x = b ^ n.
Proof. intros B ->. rewrite exp_nat, exp_ln by assumption. reflexivity. Qed.
Ltac whole_exp e b n := first
  [ rewrite (exp_minus e b n) by first [solve [side] | simpl INR; push_ln; field; side]
  | rewrite (exp_plus_ln e b n) by first [solve [side] | simpl INR; push_ln; field; side] ].
Ltac exps_of_logs := repeat match goal with |- context [exp ?e] =>
  match e with context [ln ?b] => first [ whole_exp e b 1%nat | whole_exp e b 2%nat | whole_exp e b 3%nat | whole_exp e b 4%nat | whole_exp e b 6%nat ] end end.
Lemma half_power x : 0 < x -> exp (1 / 2 * ln x) = sqrt x.
Proof. intros H. rewrite <- (exp_ln (sqrt x)) by (apply sqrt_lt_R0; exact H). rewrite ln_root by exact H. f_equal. lra. Qed.
Lemma sqrt_8 : sqrt 8 = 2 * sqrt 2.
Proof. replace 8 with (2 ^ 2 * 2) by lra. rewrite sqrt_mult, sqrt_pow2 by lra. reflexivity. Qed.
Ltac away := intros; repeat split; first
  [ solve [side] | solve [apply Rgt_not_eq; red; interval] | solve [apply Rlt_not_eq; interval] ].
Ltac modulo_roots := (* equal where the squares of up to four roots are what they are *)
  split_roots; rewrite ?sqrt_8; field_simplify_eq;
  [ repeat match goal with |- context [sqrt ?c] =>
      let S := fresh "S" in assert (S : sqrt c ^ 2 = c) by (apply pow2_sqrt; side);
      let r := fresh "r" in set (r := sqrt c) in *; clearbody r end;
    match goal with
    | S : ?a ^ 2 = _, T : ?b ^ 2 = _, U : ?c ^ 2 = _, V : ?d ^ 2 = _ |- _ => ring [S T U V]
    | S : ?a ^ 2 = _, T : ?b ^ 2 = _, U : ?c ^ 2 = _ |- _ => ring [S T U]
    | S : ?a ^ 2 = _, T : ?b ^ 2 = _ |- _ => ring [S T]
    | S : ?a ^ 2 = _ |- _ => ring [S] end
  | away ].
(* The mean of two points with weights 1 and w, in the law of which u/w moves to 1 and u. *)
Lemma tilted u w : 0 < u -> 0 < w -> 1 / (1 + w) + w / (1 + w) * (u / w) = (1 + u) / (1 + w).
Proof. intros. field. lra. Qed.
Ltac roots_and_powers := intros; squares; first
  [ solve [f_equal; field; side]
  | solve [f_equal; f_equal; field; side]
  | solve [field; side]
  | solve [exps_of_logs; field; side]
  | solve [rewrite ?half_power by side; exps_of_logs; split_roots; field; side]
  | solve [rewrite ?exp_Ropp, ?exp_plus, ?exp_ln by side; field; side]
  | solve [modulo_roots]
  | solve [rewrite ?tilted by side; push_ln; field; side]
  | solve [match goal with |- context [exp ?g] => is_var g; norm_exp g; field; side end] ].

Ltac derived g := first
  [ solve [field; side] | solve [ring] | norm_exp g; solve [field; side]
  | rewrite ?ln_powr, ?ln_mult by side; solve [field; side]
  | rewrite ?sqrt_8, ?ln_powr, ?ln_mult by side; simpl; solve [field; side]
  | simpl; solve [field; side] | simpl; unfold Rdiv; solve [field; side] ].

(* What the emitted proofs call. *)
Ltac by_algebra := solve [ alg | laws | laws3 | roots_and_powers
  | intros; rewrite ?Phi_minus; solve [ring | f_equal; field; side] ].
Ltac by_point := solve
  [ one_side; interval | lra | one_side; interval with (i_prec 120) | one_side; interval with (i_prec 400)
  | alg | one_side; nra | laws | laws3 ].
Ltac by_sign := solve [ sign | nra ].
Ltac at_start := solve
  [ lra | alg | one_side; interval | one_side; interval with (i_prec 200) | laws | laws3 ].

(* Tails of counts, P(binomial(n, p) >= h), by Chernoff. *)
Definition tail (n h : nat) (p : R) : R :=
  sum_f_R0 (fun k => if Nat.leb h k then Binomial.C n k * p ^ k * (1 - p) ^ (n - k) else 0) n.
Lemma C_nonneg n k : (k <= n)%nat -> 0 <= Binomial.C n k.
Proof. intros _. unfold Binomial.C. apply Rdiv_le_0_compat; [apply pos_INR|]. apply Rmult_lt_0_compat; apply INR_fact_lt_0. Qed.
(* Markov's inequality for t ^ (count - h), t >= 1. *)
Lemma tail_power n h p t : 0 <= p <= 1 -> 1 <= t -> tail n h p * t ^ h <= (p * t + (1 - p)) ^ n.
Proof.
intros P T. rewrite Binomial.binomial. unfold tail. rewrite Rmult_comm, scal_sum.
apply sum_Rle. intros k L.
assert (0 <= Binomial.C n k * p ^ k * (1 - p) ^ (n - k)).
{ apply Rmult_le_pos; [apply Rmult_le_pos; [apply C_nonneg; exact L | apply pow_le; lra] | apply pow_le; lra]. }
rewrite Rpow_mult_distr.
destruct (Nat.leb h k) eqn:E.
- apply Nat.leb_le in E.
  replace (Binomial.C n k * (p ^ k * t ^ k) * (1 - p) ^ (n - k)) with (Binomial.C n k * p ^ k * (1 - p) ^ (n - k) * t ^ k) by ring.
  apply Rmult_le_compat_l; [assumption|]. apply Rle_pow; assumption.
- rewrite Rmult_0_l.
  replace (Binomial.C n k * (p ^ k * t ^ k) * (1 - p) ^ (n - k)) with (Binomial.C n k * p ^ k * (1 - p) ^ (n - k) * t ^ k) by ring.
  apply Rmult_le_pos; [assumption|]. apply pow_le. lra.
Qed.
Lemma chernoff n h p t : 0 <= p <= 1 -> 1 <= t ->
  tail n h p <= exp (INR n * ln (p * t + (1 - p)) - INR h * ln t).
Proof.
intros P T.
assert (B : 0 < p * t + (1 - p)). { assert (p * 1 <= p * t) by (apply Rmult_le_compat_l; lra). lra. }
apply (Rmult_le_reg_r (t ^ h)); [apply pow_lt; lra|].
apply (Rle_trans _ _ _ (tail_power n h p t P T)).
right. unfold Rminus at 2. rewrite exp_plus, exp_Ropp, !exp_nat, !exp_ln by lra. field. apply pow_nonzero. lra.
Qed.
(* The same for whole numbers of any size. *)
Lemma chernoff_Z n h p t : (0 <= n)%Z -> (0 <= h)%Z -> 0 <= p <= 1 -> 1 <= t ->
  tail (Z.to_nat n) (Z.to_nat h) p <= exp (IZR n * ln (p * t + (1 - p)) - IZR h * ln t).
Proof.
intros N H P T. generalize (chernoff (Z.to_nat n) (Z.to_nat h) p t P T).
rewrite !INR_IZR_INZ, !Z2Nat.id by assumption. trivial.
Qed.
Ltac by_tail t := eapply Rle_trans; [apply (chernoff_Z _ _ _ t); [lia | lia | lra | lra] | interval with (i_prec 80)].
