(* The law of many Gaussian releases together (Theorem 4.7 of Hu et al. 2025; Dong, Roth & Su 2022): of
   independent normal variables with mean 0 and standard deviations w_1, ..., w_n the sum is normal, with
   standard deviation sqrt(w_1^2 + ... + w_n^2).  Where the squares add up to 1 it is standard normal: that is
   the combination of standard noise in Gaussian.loss_of_many, whose loss is then that of one Gaussian
   release.

   The law of a sum is built as in Facts.v, by one variable after the other: its density at x is the
   integral of the variable's density at z times the density of the others' sum at x - z (law_of_sum).

   Modelled: densities with the constant that makes their integral 1; that there is such a constant is
   shown (bell_has_mass), that it is sqrt(2 pi) is not needed.  Not modelled: that releases may be chosen
   by earlier ones; weights of 0 and below (a normal law is symmetric, and 0 adds nothing). *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
Require Import Integral Book Gaussian.
Import ListNotations.
Open Scope R_scope.

(* A line that is moved and stretched *)
Lemma line_affine f v m s : 0 < s -> line f v -> line (fun x => f ((x - m) / s)) (s * v).
Proof.
intros S L. assert (0 < / s) as I by (apply Rinv_0_lt_compat, S).
apply (line_ext (fun x => s * (/ s * f (/ s * x + - m / s)))).
{ intros x. replace (/ s * x + - m / s) with ((x - m) / s) by (field; lra). field. lra. }
apply (line_scale s _ v); [reflexivity|].
intros P HP. destruct (L P HP) as [Q T [M HQ] [M' HT] K].
exists (fun x => Q (/ s * x + - m / s)) (fun x => T (/ s * x + - m / s)).
- exists (s * M + m). intros x X. apply HQ. apply (Rmult_lt_reg_l s); trivial.
  replace (s * (/ s * x + - m / s)) with (x - m) by (field; lra). lra.
- exists (s * M' + m). intros x X. apply HT. apply (Rmult_lt_reg_l s); trivial.
  replace (s * (/ s * x + - m / s)) with (x - m) by (field; lra). lra.
- intros x y X Y. destruct (K _ _ X Y) as [z [R Z]]. exists z. split; [|exact Z].
  apply (is_RInt_comp_lin (V := R_NormedModule) f (/ s) (- m / s) x y z). exact R.
Qed.

(* The bell has a mass. *)
Definition area (x : R) : R := RInt (gauss 1 0) 0 x.
Lemma bell_continuous x : continuous (gauss 1 0) x.
Proof. apply (ex_derive_continuous (gauss 1 0)). unfold gauss. auto_derive. lra. Qed.
Lemma bell_integrable a b : ex_RInt (gauss 1 0) a b.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule)). intros. apply bell_continuous. Qed.
Lemma area_derive x : is_derive area x (gauss 1 0 x).
Proof.
apply (is_derive_RInt (gauss 1 0) area 0 x); [|apply bell_continuous].
apply filter_forall. intros y. apply (RInt_correct (V := R_CompleteNormedModule)), bell_integrable.
Qed.
Lemma area_join a b : area b = area a + RInt (gauss 1 0) a b.
Proof. symmetry. apply (RInt_Chasles (V := R_CompleteNormedModule)); apply bell_integrable. Qed.
Lemma area_grows a b : a <= b -> area a <= area b.
Proof.
intros L. rewrite (area_join a b). assert (0 <= RInt (gauss 1 0) a b); [|lra].
apply RInt_ge_0; [exact L | apply bell_integrable | intros; left; apply exp_pos].
Qed.
Lemma area_odd x : area (- x) = - area x.
Proof.
unfold area. pose proof (RInt_correct (V := R_CompleteNormedModule) (gauss 1 0) 0 (- x) (bell_integrable _ _)) as H.
replace 0 with (- 0) in H at 2 by ring. apply (is_RInt_comp_opp (V := R_NormedModule)) in H.
apply (is_RInt_unique (V := R_CompleteNormedModule)) in H. rewrite <- H.
rewrite (RInt_ext _ (fun y => opp (gauss 1 0 y))).
- apply (RInt_opp (V := R_CompleteNormedModule)), bell_integrable.
- intros y _. unfold opp; simpl. unfold gauss. f_equal. f_equal. f_equal. field.
Qed.
(* It is below exp(1/2 - x), whose area is below exp(1/2). *)
Lemma area_bounded x : area x <= exp (1 / 2).
Proof.
destruct (Rle_dec 0 x) as [X|X]; [|apply Rle_trans with (area 0); [apply area_grows; lra | unfold area; rewrite RInt_point; left; apply exp_pos]].
assert (is_RInt (fun y => exp (1 / 2 - y)) 0 x (exp (1 / 2) - exp (1 / 2 - x))) as E.
{ replace (exp (1 / 2) - exp (1 / 2 - x)) with (minus (- exp (1 / 2 - x)) (- exp (1 / 2 - 0)))
    by (unfold minus, plus, opp; simpl; rewrite Rminus_0_r; ring).
  apply (is_RInt_derive (V := R_CompleteNormedModule) (fun y => - exp (1 / 2 - y))).
  - intros y _. auto_derive; [trivial|]. unfold Rminus. ring.
  - intros y _. apply (ex_derive_continuous (fun y => exp (1 / 2 - y))). auto_derive. trivial. }
pose proof (exp_pos (1 / 2 - x)) as P. apply Rle_trans with (exp (1 / 2) - exp (1 / 2 - x)); [|lra].
rewrite <- (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _ E).
apply RInt_le; [exact X | apply bell_integrable | eexists; exact E|].
intros y _. unfold gauss. apply exp_le. pose proof (pow2_ge_0 (y - 1)). simpl in *. lra.
Qed.
Lemma area_limit : exists h : R, 0 < h /\ is_lim area p_infty h.
Proof.
destruct (completeness (fun v => exists x, v = area x)) as [h [U Least]].
{ exists (exp (1 / 2)). intros v [x ->]. apply area_bounded. }
{ exists (area 0), 0. reflexivity. }
exists h. split.
- apply Rlt_le_trans with (area 1); [|apply U; exists 1; reflexivity].
  unfold area. apply RInt_gt_0; [lra | intros; apply exp_pos | intros; apply bell_continuous].
- apply is_lim_spec. intros e. destruct (Classical_Prop.classic (exists x, h - e < area x)) as [[x X]|N].
  + exists x. intros y Y. pose proof (area_grows x y ltac:(lra)). pose proof (U (area y) (ex_intro _ y eq_refl)).
    apply Rabs_lt_between. pose proof (cond_pos e). lra.
  + exfalso. pose proof (cond_pos e). assert (h <= h - e); [|lra]. apply Least. intros v [x ->].
    apply Rnot_lt_le. intros L. apply N. exists x. exact L.
Qed.
Theorem bell_has_mass : exists mass, 0 < mass /\ line (gauss 1 0) mass.
Proof.
destruct area_limit as [h [H L]]. exists (h + h). split; [lra|].
assert (area 0 = 0) as Z by (unfold area; rewrite RInt_point; reflexivity).
assert (forall x, ex_derive (gauss 1 0) x) as D by (intros x; unfold gauss; auto_derive; lra).
apply line_join with 0 h h; [reflexivity | |].
- replace h with (area 0 - - h) by lra. apply up_to_point; [apply area_derive | exact D|].
  apply (is_lim_ext (fun x => - area (- x))); [intros; rewrite area_odd; ring|].
  apply (is_lim_opp (fun x => area (- x)) m_infty h).
  apply (is_lim_comp area Ropp m_infty h p_infty); [exact L | | exists 0; discriminate].
  apply (is_lim_opp (fun x => x) m_infty m_infty). apply is_lim_id.
- replace h with (h - area 0) by lra. apply from_point_on; [apply area_derive | exact D | exact L].
Qed.

(* Two variables.  The density of N(s, sigma^2), the bell's mass being `mass`. *)
Definition normal (mass sigma s x : R) : R := gauss sigma s x / (sigma * mass).
Lemma normal_mass mass sigma s : 0 < mass -> 0 < sigma -> line (gauss 1 0) mass -> line (normal mass sigma s) 1.
Proof.
intros M S L. apply (line_ext (fun x => / (sigma * mass) * gauss 1 0 ((x - s) / sigma))).
- intros x. unfold normal, gauss. rewrite (Rmult_comm (/ _)). unfold Rdiv at 3. f_equal. f_equal. field. lra.
- apply (line_scale _ _ (sigma * mass)); [field; lra | apply line_affine; trivial].
Qed.
Theorem sum_of_two mass a b x : 0 < mass -> 0 < a -> 0 < b -> line (gauss 1 0) mass ->
  line (fun z => normal mass a 0 z * normal mass b 0 (x - z)) (normal mass (sqrt (a ^ 2 + b ^ 2)) 0 x).
Proof.
intros M A B L. set (c := sqrt (a ^ 2 + b ^ 2)).
assert (c ^ 2 = a ^ 2 + b ^ 2) as C by (apply pow2_sqrt; nra). assert (0 < c) as C0 by (apply sqrt_lt_R0; nra).
assert (0 < a * b / c) as S by (apply Rdiv_lt_0_compat; nra).
pose proof (normal_mass mass (a * b / c) (x * a ^ 2 / c ^ 2) M S L) as H.
apply (line_ext (fun z => normal mass c 0 x * normal mass (a * b / c) (x * a ^ 2 / c ^ 2) z)).
- intros z. unfold normal, gauss.
  replace (exp (- ((x - 0) ^ 2 / (2 * c ^ 2))) / (c * mass) * (exp (- ((z - x * a ^ 2 / c ^ 2) ^ 2 / (2 * (a * b / c) ^ 2))) / (a * b / c * mass)))
    with (exp (- ((x - 0) ^ 2 / (2 * c ^ 2))) * exp (- ((z - x * a ^ 2 / c ^ 2) ^ 2 / (2 * (a * b / c) ^ 2))) / (a * b * mass ^ 2)) by (field; lra).
  replace (exp (- ((z - 0) ^ 2 / (2 * a ^ 2))) / (a * mass) * (exp (- ((x - z - 0) ^ 2 / (2 * b ^ 2))) / (b * mass)))
    with (exp (- ((z - 0) ^ 2 / (2 * a ^ 2))) * exp (- ((x - z - 0) ^ 2 / (2 * b ^ 2))) / (a * b * mass ^ 2)) by (field; lra).
  f_equal. rewrite <- !exp_plus. f_equal.
  replace ((a * b / c) ^ 2) with (a ^ 2 * b ^ 2 / c ^ 2) by (field; lra). rewrite C. field. nra.
- apply (line_scale (normal mass c 0 x) _ 1); [ring | exact H].
Qed.

(* Many *)
Fixpoint squares (ws : list R) : R := match ws with [] => 0 | w :: rest => w ^ 2 + squares rest end.
Inductive law_of_sum (mass : R) : list R -> (R -> R) -> Prop :=
| alone w : law_of_sum mass [w] (normal mass w 0)
| and_one_more w ws f g : law_of_sum mass ws f -> (forall x, line (fun z => normal mass w 0 z * f (x - z)) (g x)) ->
    law_of_sum mass (w :: ws) g.
Lemma line_unique f v w : line f v -> line f w -> v = w.
Proof. intros V W. apply Rle_antisym; apply (line_le f f); trivial; intros; lra. Qed.
Lemma squares_pos ws : (forall w, In w ws -> 0 < w) -> ws <> [] -> 0 < squares ws.
Proof.
intros P N. destruct ws as [|w ws]; [congruence|]. simpl. assert (0 < w) by (apply P; left; reflexivity).
assert (0 <= squares ws); [|nra]. clear. induction ws as [|v ws IH]; simpl; [lra | nra].
Qed.
Theorem sum_is_normal mass ws g : 0 < mass -> line (gauss 1 0) mass -> (forall w, In w ws -> 0 < w) ->
  law_of_sum mass ws g -> forall x, g x = normal mass (sqrt (squares ws)) 0 x.
Proof.
intros M L P H. induction H as [w|w ws f g H IH C]; intros x.
- simpl. rewrite Rmult_1_r, Rplus_0_r. rewrite sqrt_square; [reflexivity|]. left. apply P. left. reflexivity.
- assert (forall v, In v ws -> 0 < v) as Q by (intros; apply P; right; trivial).
  assert (ws <> []) as N by (intros ->; inversion H).
  pose proof (squares_pos ws Q N) as S. apply (line_unique _ _ _ (C x)).
  apply (line_ext (fun z => normal mass w 0 z * normal mass (sqrt (squares ws)) 0 (x - z))).
  + intros z. rewrite (IH Q). reflexivity.
  + replace (squares (w :: ws)) with (w ^ 2 + sqrt (squares ws) ^ 2) by (simpl squares; rewrite pow2_sqrt; lra).
    apply sum_of_two; trivial; [apply P; left; reflexivity | apply sqrt_lt_R0, S].
Qed.
Corollary norm_one_is_standard mass ws g : 0 < mass -> line (gauss 1 0) mass -> (forall w, In w ws -> 0 < w) ->
  squares ws = 1 -> law_of_sum mass ws g -> forall x, g x = normal mass 1 0 x.
Proof. intros M L P S H x. rewrite (sum_is_normal mass ws g M L P H x), S, sqrt_1. reflexivity. Qed.
(* There is such a law for all weights. *)
Theorem every_sum_has_a_law mass ws : 0 < mass -> line (gauss 1 0) mass -> (forall w, In w ws -> 0 < w) -> ws <> [] ->
  law_of_sum mass ws (normal mass (sqrt (squares ws)) 0).
Proof.
intros M L P N. induction ws as [|w ws IH]; [congruence|]. destruct ws as [|v ws].
- replace (sqrt (squares [w])) with w; [constructor|]. simpl. rewrite Rmult_1_r, Rplus_0_r. symmetry.
  apply sqrt_square. left. apply P. left. reflexivity.
- assert (forall u, In u (v :: ws) -> 0 < u) as Q by (intros; apply P; right; trivial).
  pose proof (squares_pos (v :: ws) Q ltac:(discriminate)) as S.
  apply and_one_more with (normal mass (sqrt (squares (v :: ws))) 0); [apply IH; trivial; discriminate|]. intros x.
  replace (squares (w :: v :: ws)) with (w ^ 2 + sqrt (squares (v :: ws)) ^ 2)
    by (rewrite pow2_sqrt by lra; reflexivity).
  apply sum_of_two; trivial; [apply P; left; reflexivity | apply sqrt_lt_R0, S].
Qed.

(* The releases that differ on a path, in whose loss each has its own standard noise: w z has the law of |w| z. *)
Definition weights (rs : list release) : list R := map (fun r => Rabs (shift r) / sqrt (budget rs)) rs.
Theorem many_are_one mass rs eta law : 0 < mass -> line (gauss 1 0) mass -> 0 < eta -> budget rs = eta ^ 2 ->
  (forall r, In r rs -> 0 < sigma r /\ shift r <> 0) -> law_of_sum mass (weights rs) law ->
  joint here rs = exp (eta * combination rs + eta ^ 2 / 2) * joint there rs /\
  forall x, law x = normal mass 1 0 x.
Proof.
intros M L E B P H. destruct (loss_of_many rs eta (fun r I => proj1 (P r I)) E B) as [J N]. split; [exact J|].
apply (norm_one_is_standard mass (weights rs)); trivial.
- intros w I. apply in_map_iff in I. destruct I as [r [<- I]].
  apply Rdiv_lt_0_compat; [apply Rabs_pos_lt, (proj2 (P r I)) | rewrite B, sqrt_pow2; lra].
- rewrite <- N. unfold weights. generalize (sqrt (budget rs)). intros b. clear. induction rs as [|r rs IH]; [reflexivity|].
  cbn [map squares total]. rewrite IH. f_equal. unfold Rdiv. rewrite !Rpow_mult_distr, pow2_abs. reflexivity.
Qed.
