(* Fact A.3 of Hu et al. (2025): a normal variable exceeds its mean by z standard deviations, z > 0, with
   probability at most exp(-z^2/2)/2 (4) and at least z/(z^2 + 1) exp(-z^2/2)/sqrt(2 pi) (5).

   Modelled: the tail is the improper integral of the density from z on; `mass` is that of the bell
   (Rotation.bell_has_mass), which is sqrt(2 pi): (5) says so of whatever it is.  Mean and standard
   deviation are those of Rotation.normal. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
Require Import Integral Book Gaussian Rotation.
Open Scope R_scope.

Lemma gauss_standard x : gauss 1 0 x = exp (- x ^ 2 / 2).
Proof. unfold gauss. replace (- x ^ 2 / 2) with (- ((x - 0) ^ 2 / (2 * 1 ^ 2))) by field. reflexivity. Qed.
Lemma gauss_derive x : is_derive (gauss 1 0) x (- x * gauss 1 0 x).
Proof.
apply (is_derive_ext (fun x => exp (- x ^ 2 / 2))); [intros t; symmetry; apply gauss_standard|].
rewrite gauss_standard. auto_derive; [trivial|]. unfold Rdiv. simpl. field.
Qed.
(* What is beyond z: h - area z, where h is the limit of the area from 0 on, half of the mass. *)
Lemma beyond h z : is_lim area p_infty (Finite h) ->
  is_RInt_gen (gauss 1 0) (at_point z) (Rbar_locally p_infty) (h - area z).
Proof.
intros L. apply from_point_on; [apply area_derive | intros x; eexists; apply gauss_derive | exact L].
Qed.
Lemma half_mass h mass : is_lim area p_infty (Finite h) -> line (gauss 1 0) mass -> mass = 2 * h.
Proof.
intros L M. apply (line_unique _ _ _ M). apply line_join with 0 h h; [ring | |].
- replace h with (area 0 - - h) by (unfold area; rewrite RInt_point; unfold zero; simpl; ring).
  apply up_to_point; [apply area_derive | intros x; eexists; apply gauss_derive|].
  apply (is_lim_ext (fun x => - area (- x))); [intros; rewrite area_odd; ring|].
  apply (is_lim_opp (fun x => area (- x)) m_infty h).
  apply (is_lim_comp area Ropp m_infty h p_infty); [exact L | | exists 0; discriminate].
  apply (is_lim_opp (fun x => x) m_infty m_infty). apply is_lim_id.
- replace h with (h - area 0) at 1 by (unfold area; rewrite RInt_point; unfold zero; simpl; ring). apply beyond, L.
Qed.
Lemma below_limit h x : is_lim area p_infty (Finite h) -> area x <= h.
Proof.
intros L. apply (is_lim_le_loc (fun _ => area x) area p_infty (area x) h); [| apply is_lim_const | exact L].
exists x. intros y Y. apply area_grows. lra.
Qed.
(* A function that does not grow and falls to zero is not negative. *)
Lemma falls_to_zero_from (f f' : R -> R) z : (forall x, z <= x -> is_derive f x (f' x)) -> (forall x, z <= x -> f' x <= 0) ->
  is_lim f p_infty 0 -> 0 <= f z.
Proof.
intros D N L. apply (is_lim_le_loc f (fun _ => f z) p_infty 0 (f z)); [| exact L | apply is_lim_const].
exists z. intros x X. destruct (MVT_gen f z x f') as [c [C E]].
- intros y Y. rewrite Rmin_left in Y by lra. apply D. lra.
- intros y Y. rewrite Rmin_left, Rmax_right in Y by lra. apply derivable_continuous_pt. exists (f' y). apply is_derive_Reals, D. lra.
- rewrite Rmin_left, Rmax_right in C by lra. specialize (N c ltac:(lra)). nra.
Qed.
Lemma gauss_to_zero : is_lim (gauss 1 0) p_infty 0.
Proof.
apply (is_lim_le_le_loc (fun _ => 0) (fun x => exp (1 / 2) * exp (- (1 * (x - 0))))).
- exists 0. intros x X. split; [left; apply exp_pos|]. rewrite <- exp_plus. unfold gauss. apply exp_le.
  pose proof (pow2_ge_0 (x - 1)). simpl in *. lra.
- apply is_lim_const.
- apply falls_to_zero. lra.
Qed.

Theorem fact_a_3 (mass z tail : R) : 0 < z -> line (gauss 1 0) mass ->
  is_RInt_gen (normal mass 1 0) (at_point z) (Rbar_locally p_infty) tail ->
  tail <= exp (- z ^ 2 / 2) / 2 /\ z / (z ^ 2 + 1) * exp (- z ^ 2 / 2) / mass <= tail.
Proof.
intros Z M T. destruct area_limit as [h [H L]]. assert (mass = 2 * h) as E by (apply half_mass; trivial).
assert (tail = (h - area z) / mass) as V.
{ assert (is_RInt_gen (normal mass 1 0) (at_point z) (Rbar_locally p_infty) (/ mass * (h - area z))) as U.
  { apply (right_ext (fun x => / mass * gauss 1 0 x)).
    - intros x _. unfold normal. field. lra.
    - exact (is_RInt_gen_scal _ (/ mass) _ (beyond h z L)). }
  apply (is_RInt_gen_unique (V := R_CompleteNormedModule)) in T, U.
  assert (tail = / mass * (h - area z)) as W by (rewrite <- T, <- U; reflexivity). rewrite W. field. lra. }
rewrite V, <- gauss_standard. assert (0 < mass) as P by lra. split.
- (* h exp(-z^2/2) - (h - area z) is 0 at 0, grows to 1/h and then falls to 0. *)
  apply (Rmult_le_reg_r mass); trivial. replace ((h - area z) / mass * mass) with (h - area z) by (field; lra).
  replace (gauss 1 0 z / 2 * mass) with (h * gauss 1 0 z) by (rewrite E; field).
  set (f := fun x => h * gauss 1 0 x - (h - area x)). set (f' := fun x => (1 - h * x) * gauss 1 0 x).
  assert (forall x, is_derive f x (f' x)) as D.
  { intros x. unfold f, f'. replace ((1 - h * x) * gauss 1 0 x) with (h * (- x * gauss 1 0 x) - (0 - gauss 1 0 x)) by ring.
    apply (is_derive_minus (fun x => h * gauss 1 0 x) (fun x => h - area x)).
    - apply (is_derive_scal (gauss 1 0)), gauss_derive.
    - apply (is_derive_minus (fun _ => h) area); [apply (is_derive_const h) | apply area_derive]. }
  assert (0 <= f z); [|unfold f in *; lra]. destruct (Rle_dec z (1 / h)) as [Q|Q].
  + assert (f 0 = 0) as F.
    { unfold f. rewrite gauss_standard. unfold area. rewrite RInt_point. unfold zero; simpl.
      replace (- (0 * (0 * 1)) / 2) with 0 by field. rewrite exp_0. ring. }
    rewrite <- F. destruct (MVT_gen f 0 z f') as [c [C G]].
    * intros; apply D.
    * intros x _. apply derivable_continuous_pt. exists (f' x). apply is_derive_Reals, D.
    * rewrite Rmin_left, Rmax_right in C by lra.
      assert (0 <= f' c).
      { apply Rmult_le_pos; [|left; apply exp_pos]. assert (h * c <= h * (1 / h)) by (apply Rmult_le_compat_l; lra).
        replace (h * (1 / h)) with 1 in * by (field; lra). lra. }
      assert (0 <= f' c * (z - 0)) by (apply Rmult_le_pos; lra). lra.
  + apply (falls_to_zero_from f f' z); [intros; apply D | |].
    * intros x X. unfold f'. assert (h * (1 / h) <= h * x) as W by (apply Rmult_le_compat_l; lra).
      replace (h * (1 / h)) with 1 in W by (field; lra). pose proof (exp_pos (- ((x - 0) ^ 2 / (2 * 1 ^ 2)))). unfold gauss. nra.
    * unfold f. replace (Finite 0) with (Rbar_minus (Rbar_mult h 0) (Rbar_minus h h)) by (simpl; f_equal; ring).
      apply is_lim_minus with (Rbar_mult h 0) (Rbar_minus h h); [apply is_lim_scal_l, gauss_to_zero | |reflexivity].
      apply is_lim_minus with (Finite h) (Finite h); [apply is_lim_const | exact L | reflexivity].
- apply (Rmult_le_reg_r mass); trivial. replace ((h - area z) / mass * mass) with (h - area z) by (field; lra).
  replace (z / (z ^ 2 + 1) * gauss 1 0 z / mass * mass) with (z / (z ^ 2 + 1) * gauss 1 0 z) by (field; nra).
  set (f := fun x => h - area x - x / (x ^ 2 + 1) * gauss 1 0 x).
  set (f' := fun x => - (2 / (x ^ 2 + 1) ^ 2 * gauss 1 0 x)).
  assert (0 <= f z); [|unfold f in *; lra]. apply (falls_to_zero_from f f' z).
  + intros x _. unfold f, f'.
    replace (- (2 / (x ^ 2 + 1) ^ 2 * gauss 1 0 x)) with
      ((0 - gauss 1 0 x) - ((1 - x ^ 2) / (x ^ 2 + 1) ^ 2 * gauss 1 0 x + x / (x ^ 2 + 1) * (- x * gauss 1 0 x))) by (field; nra).
    apply (is_derive_minus (fun x => h - area x) (fun x => x / (x ^ 2 + 1) * gauss 1 0 x)).
    * apply (is_derive_minus (fun _ => h) area); [apply (is_derive_const h) | apply area_derive].
    * apply is_derive_Reals. apply (derivable_pt_lim_mult (fun x => x / (x ^ 2 + 1)) (gauss 1 0)); apply is_derive_Reals; [|apply gauss_derive].
      auto_derive; [nra|]. field. nra.
  + intros x _. unfold f'. assert (0 < 2 / (x ^ 2 + 1) ^ 2 * gauss 1 0 x); [|lra].
    apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; [lra | apply pow_lt; nra] | apply exp_pos].
  + unfold f. replace (Finite 0) with (Rbar_minus (Rbar_minus h h) 0) by (simpl; f_equal; ring).
    apply is_lim_minus with (Rbar_minus h h) (Finite 0); [|  | reflexivity].
    * apply is_lim_minus with (Finite h) (Finite h); [apply is_lim_const | exact L | reflexivity].
    * apply (is_lim_le_le_loc (fun _ => 0) (gauss 1 0)); [| apply is_lim_const | apply gauss_to_zero].
      exists 0. intros x X. pose proof (exp_pos (- ((x - 0) ^ 2 / (2 * 1 ^ 2)))) as G. change (0 < gauss 1 0 x) in G.
      assert (0 <= x / (x ^ 2 + 1) <= 1) as B.
      { split; [apply Rdiv_le_0_compat; nra|]. apply (Rmult_le_reg_r (x ^ 2 + 1)); [nra|].
        unfold Rdiv. rewrite Rmult_assoc, Rinv_l by nra. nra. }
      split; [apply Rmult_le_pos; lra | nra].
Qed.
