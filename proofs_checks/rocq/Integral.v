(* The integral over the real line that the other files speak of.

   integral f, for f >= 0, is the infimum of the improper Riemann integrals of functions that are
   nowhere below f: an upper integral.  It is defined for every function, so that no theorem has to ask
   whether the probability of a path is measurable; where f has an improper Riemann integral it is that
   one (integral_is), and of a function that is Lebesgue integrable it is at least the Lebesgue
   integral.  Additivity is not used.  Nothing is assumed beyond Coq's real numbers. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Definition line (f : R -> R) (value : R) : Prop :=
  is_RInt_gen f (Rbar_locally m_infty) (Rbar_locally p_infty) value.
Definition above (f : R -> R) (value : R) : Prop :=
  exists g, (forall x, f x <= g x) /\ line g value.
Definition integral (f : R -> R) : R := real (Glb_Rbar (above f)).

(* The density of s + Lap(b). *)
Definition lap (b s x : R) : R := / (2 * b) * exp (- (Rabs (x - s) / b)).

(* At most a multiple of a Laplace density: what is integrated here always is. *)
Definition small (f : R -> R) : Prop :=
  exists c b s, 0 <= c /\ 0 < b /\ forall x, f x <= c * lap b s x.

(* Half lines: of a function with an antiderivative F *)
Lemma from_point_on F f a (l : R) :
  (forall x, is_derive F x (f x)) -> (forall x, ex_derive f x) -> is_lim F p_infty l ->
  is_RInt_gen f (at_point a) (Rbar_locally p_infty) (l - F a).
Proof.
intros D C L. apply is_RInt_gen_ext with (Derive F).
- exists (fun _ => True) (fun _ => True); [exact I | exists 0; trivial |].
  intros. apply is_derive_unique, D.
- apply is_RInt_gen_Derive.
  + exists (fun _ => True) (fun _ => True); [exact I | exists 0; trivial |].
    intros. eexists; apply D.
  + exists (fun _ => True) (fun _ => True); [exact I | exists 0; trivial |].
    intros x y _ _ z _. apply continuous_ext with f; [|apply ex_derive_continuous, C].
    intros t. symmetry. apply is_derive_unique, D.
  + intros P H. apply locally_singleton in H. exact H.
  + exact L.
Qed.
Lemma up_to_point F f a (l : R) :
  (forall x, is_derive F x (f x)) -> (forall x, ex_derive f x) -> is_lim F m_infty l ->
  is_RInt_gen f (Rbar_locally m_infty) (at_point a) (F a - l).
Proof.
intros D C L. apply is_RInt_gen_ext with (Derive F).
- exists (fun _ => True) (fun _ => True); [exists 0; trivial | exact I |].
  intros. apply is_derive_unique, D.
- apply is_RInt_gen_Derive.
  + exists (fun _ => True) (fun _ => True); [exists 0; trivial | exact I |].
    intros. eexists; apply D.
  + exists (fun _ => True) (fun _ => True); [exists 0; trivial | exact I |].
    intros x y _ _ z _. apply continuous_ext with f; [|apply ex_derive_continuous, C].
    intros t. symmetry. apply is_derive_unique, D.
  + exact L.
  + intros P H. apply locally_singleton in H. exact H.
Qed.
Lemma falls_to_zero k c s : 0 < c -> is_lim (fun x => k * exp (- (c * (x - s)))) p_infty 0.
Proof.
intros C. replace (Finite 0) with (Rbar_mult k 0) by (simpl; f_equal; ring).
apply is_lim_scal_l. apply is_lim_comp with m_infty; [apply is_lim_exp_m | | exists 0; discriminate].
intros P [M H]. exists (s - M / c). intros x X. apply H.
assert (c * (s - M / c) < c * x) as E by (apply Rmult_lt_compat_l; assumption).
replace (c * (s - M / c)) with (c * s - M) in E by (field; lra). lra.
Qed.
Lemma rises_from_zero k c s : 0 < c -> is_lim (fun x => k * exp (c * (x - s))) m_infty 0.
Proof.
intros C. replace (Finite 0) with (Rbar_mult k 0) by (simpl; f_equal; ring).
apply is_lim_scal_l. apply is_lim_comp with m_infty; [apply is_lim_exp_m | | exists 0; discriminate].
intros P [M H]. exists (s + M / c). intros x X. apply H.
assert (c * x < c * (s + M / c)) as E by (apply Rmult_lt_compat_l; assumption).
replace (c * (s + M / c)) with (c * s + M) in E by (field; lra). lra.
Qed.
Lemma right_half k c s a : 0 < c ->
  is_RInt_gen (fun x => k * exp (- (c * (x - s)))) (at_point a) (Rbar_locally p_infty)
    (k / c * exp (- (c * (a - s)))).
Proof.
intros C. replace (k / c * exp (- (c * (a - s)))) with (0 - - (k / c) * exp (- (c * (a - s)))) by ring.
apply (from_point_on (fun x => - (k / c) * exp (- (c * (x - s))))).
- intros x. auto_derive; [trivial|]. unfold Rminus. field. lra.
- intros x. auto_derive. trivial.
- apply falls_to_zero, C.
Qed.
Lemma left_half k c s a : 0 < c ->
  is_RInt_gen (fun x => k * exp (c * (x - s))) (Rbar_locally m_infty) (at_point a)
    (k / c * exp (c * (a - s))).
Proof.
intros C. replace (k / c * exp (c * (a - s))) with (k / c * exp (c * (a - s)) - 0) by ring.
apply (up_to_point (fun x => (k / c) * exp (c * (x - s)))).
- intros x. auto_derive; [trivial|]. unfold Rminus. field. lra.
- intros x. auto_derive. trivial.
- apply rises_from_zero, C.
Qed.

(* Changing the integrand on one half line *)
Lemma right_ext (f g : R -> R) a l : (forall x, a < x -> f x = g x) ->
  is_RInt_gen f (at_point a) (Rbar_locally p_infty) l -> is_RInt_gen g (at_point a) (Rbar_locally p_infty) l.
Proof.
intros E. apply is_RInt_gen_ext.
exists (fun x => x = a) (fun y => a < y); [reflexivity | exists a; trivial |].
intros x y -> Y z. simpl. rewrite Rmin_left by lra. intros Z. apply E. lra.
Qed.
Lemma left_ext (f g : R -> R) a l : (forall x, x < a -> f x = g x) ->
  is_RInt_gen f (Rbar_locally m_infty) (at_point a) l -> is_RInt_gen g (Rbar_locally m_infty) (at_point a) l.
Proof.
intros E. apply is_RInt_gen_ext.
exists (fun x => x < a) (fun y => y = a); [exists a; trivial | reflexivity |].
intros x y X -> z. simpl. rewrite Rmax_right by lra. intros Z. apply E. lra.
Qed.

Lemma lap_pos b s x : 0 < b -> 0 < lap b s x.
Proof. intros B. apply Rmult_lt_0_compat; [apply Rinv_0_lt_compat; lra | apply exp_pos]. Qed.

Lemma lap_mass b s : 0 < b -> line (lap b s) 1.
Proof.
intros B. assert (0 < / b) as C by (apply Rinv_0_lt_compat, B).
replace 1 with (/ 2 + / 2) by lra.
apply (is_RInt_gen_Chasles (lap b s) s (/ 2) (/ 2)).
- apply left_ext with (fun x => / (2 * b) * exp (/ b * (x - s))).
  + intros x X. unfold lap. rewrite Rabs_left by lra. f_equal. f_equal. field. lra.
  + replace (/ 2) with (/ (2 * b) / / b * exp (/ b * (s - s))).
    * apply left_half, C.
    * replace (/ b * (s - s)) with 0 by ring. rewrite exp_0. field. lra.
- apply right_ext with (fun x => / (2 * b) * exp (- (/ b * (x - s)))).
  + intros x X. unfold lap. rewrite Rabs_right by lra. f_equal. f_equal. field. lra.
  + replace (/ 2) with (/ (2 * b) / / b * exp (- (/ b * (s - s)))).
    * apply right_half, C.
    * replace (- (/ b * (s - s))) with 0 by ring. rewrite exp_0. field. lra.
Qed.

Lemma line_le f g l m : (forall x, f x <= g x) -> line f l -> line g m -> l <= m.
Proof.
intros O F G. assert (0 <= m - l); [|lra].
pose proof (is_RInt_gen_minus g f m l G F) as D. unfold minus, plus, opp in D; simpl in D.
apply Rle_trans with (norm (m + - l)); [apply norm_ge_0|].
apply (RInt_gen_norm (fun x => g x + - f x) (fun x => g x + - f x) (m + - l) (m + - l) (Fa := Rbar_locally m_infty) (Fb := Rbar_locally p_infty)); trivial.
- exists (fun x => x < 0) (fun x => 0 < x); [exists 0; trivial | exists 0; trivial |]. simpl; intros; lra.
- exists (fun x => True) (fun x => True); [exists 0; trivial | exists 0; trivial |].
  intros x y _ _ z _. unfold norm; simpl. unfold abs; simpl. rewrite Rabs_right; [lra|]. specialize (O z). lra.
Qed.

Lemma line_scale k f v w : w = k * v -> line f v -> line (fun x => k * f x) w.
Proof. intros -> L. exact (is_RInt_gen_scal f k v L). Qed.

Lemma line_join f a l m v : v = l + m -> is_RInt_gen f (Rbar_locally m_infty) (at_point a) l ->
  is_RInt_gen f (at_point a) (Rbar_locally p_infty) m -> line f v.
Proof. intros -> L M. exact (is_RInt_gen_Chasles f a l m L M). Qed.
Lemma right_join f a b l m v : v = l + m -> is_RInt f a b l ->
  is_RInt_gen f (at_point b) (Rbar_locally p_infty) m -> is_RInt_gen f (at_point a) (Rbar_locally p_infty) v.
Proof.
intros -> L M. exact (is_RInt_gen_Chasles f b l m (proj2 (is_RInt_gen_at_point f a b l) L) M).
Qed.
Lemma line_ext f g v : (forall x, f x = g x) -> line f v -> line g v.
Proof.
intros E L. refine (is_RInt_gen_ext f g v _ L).
exists (fun _ => True) (fun _ => True); [exists 0; trivial | exists 0; trivial |]. intros; apply E.
Qed.

(* What is used of the integral *)
Lemma above_pos f : (forall x, 0 <= f x) -> forall v, above f v -> 0 <= v.
Proof.
intros F v [g [G L]]. apply line_le with (fun x => 0 * lap 1 0 x) g; trivial.
- intros x. specialize (F x). specialize (G x). lra.
- apply line_scale with 1; [ring | apply lap_mass; lra].
Qed.

Lemma glb_is f : (forall x, 0 <= f x) -> small f -> is_glb_Rbar (above f) (Finite (integral f)).
Proof.
intros F [c [b [s [C [B S]]]]]. unfold integral.
pose proof (Glb_Rbar_correct (above f)) as [Low Great].
assert (above f c) as A.
{ exists (fun x => c * lap b s x). split; [exact S|].
  apply line_scale with 1; [ring | apply lap_mass, B]. }
pose proof (Low c A) as U.
assert (Rbar_le 0 (Glb_Rbar (above f))) as P by (apply Great; intros v V; exact (above_pos f F v V)).
pose proof (Glb_Rbar_correct (above f)) as Glb.
destruct (Glb_Rbar (above f)); simpl in *; try contradiction. exact Glb.
Qed.

Lemma integral_pos f : (forall x, 0 <= f x) -> small f -> 0 <= integral f.
Proof.
intros F S. destruct (glb_is f F S) as [_ Great]. apply (Great 0). intros v V. exact (above_pos f F v V).
Qed.

Theorem integral_le f g : (forall x, 0 <= f x <= g x) -> small g -> integral f <= integral g.
Proof.
intros O [c [b [s [C [B S]]]]].
assert (small g) as SG by (exists c, b, s; auto).
assert (small f) as SF by (exists c, b, s; repeat split; trivial; intros x; specialize (O x); specialize (S x); lra).
destruct (glb_is f (fun x => proj1 (O x)) SF) as [Low _].
destruct (glb_is g (fun x => Rle_trans _ _ _ (proj1 (O x)) (proj2 (O x))) SG) as [_ Great].
apply (Great (integral f)). intros v [h [H L]]. apply (Low v). exists h. split; trivial.
intros x. specialize (O x). specialize (H x). lra.
Qed.

Theorem integral_is f v : (forall x, 0 <= f x) -> line f v -> integral f = v.
Proof.
intros F L. unfold integral. rewrite (is_glb_Rbar_unique (above f) v); trivial.
split.
- intros w [g [G M]]. apply (line_le f g); trivial.
- intros w W. apply W. exists f. split; trivial. intros; lra.
Qed.

Theorem integral_scale k f : 0 <= k -> (forall x, 0 <= f x) -> small f -> integral (fun x => k * f x) = k * integral f.
Proof.
intros K F S. destruct (glb_is f F S) as [Low Great].
destruct K as [K|K].
- unfold integral at 1. rewrite (is_glb_Rbar_unique (above (fun x => k * f x)) (k * integral f)); trivial.
  split.
  + intros v [g [G L]].
    assert (Rbar_le (integral f) (/ k * v)) as Q.
    { apply Low. exists (fun x => / k * g x). split.
      - intros x. apply (Rmult_le_reg_l k); trivial. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. apply G.
      - apply line_scale with v; trivial. }
    simpl in *. apply (Rmult_le_reg_l (/ k)); [apply Rinv_0_lt_compat; trivial|].
    rewrite <- Rmult_assoc, Rinv_l, Rmult_1_l by lra. exact Q.
  + intros w W.
    assert (forall v, above f v -> Rbar_le w (k * v)) as Q.
    { intros v [g [G L]]. apply W. exists (fun x => k * g x). split.
      - intros x. apply Rmult_le_compat_l; [lra | apply G].
      - apply line_scale with v; trivial. }
    destruct w as [w| |]; simpl in *; trivial.
    * assert (Rbar_le (/ k * w) (integral f)) as T.
      { apply Great. intros v V. specialize (Q v V). simpl. apply (Rmult_le_reg_l k); trivial.
        rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra. exact Q. }
      simpl in T. apply (Rmult_le_reg_l (/ k)); [apply Rinv_0_lt_compat; trivial|].
      rewrite <- (Rmult_assoc (/ k) k), Rinv_l, Rmult_1_l by lra. exact T.
    * destruct S as [c [b [s [C [B T]]]]]. apply (Q c). exists (fun x => c * lap b s x). split; trivial.
      apply line_scale with 1; [ring | apply lap_mass, B].
- subst k. rewrite Rmult_0_l. apply integral_is; [intros; lra|].
  apply line_ext with (fun x => 0 * lap 1 0 x); [intros; lra|].
  apply line_scale with 1; [ring | apply lap_mass; lra].
Qed.

Theorem integral_lap b s : 0 < b -> integral (lap b s) = 1.
Proof. intros B. apply integral_is; [intros; left; apply lap_pos, B | apply lap_mass, B]. Qed.
