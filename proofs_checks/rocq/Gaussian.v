(* Gaussian releases (Hu et al. 2025): eta-GDP of one release, and the budget of many.

   One release: the best test between s + N(0, sigma^2) and s' + N(0, sigma^2) is a threshold, so that no
   test of the released number, and of whatever follows from it, does better than the trade-off
   function G_eta with eta = |s - s'| / sigma says (one_release_is_gdp).  Section 2.2 of the paper takes this as the
   definition of G_eta.
   Many: on every path the loss of all releases together is that of one Gaussian release: it is
   eta * z + eta^2 / 2 with z a combination, of norm 1, of the standard noise, and eta^2 the sum of the
   (s - s')^2 / sigma^2 (loss_of_many); a batch of an arm's own rewards that is released once costs
   1 / sigma^2 at most (batch_budget).

   Modelled: densities up to their common constant, which divides out; tests as functions with values in [0, 1] whose
   integrals exist.  Not modelled, and left to Theorem 4.7 of the paper and to Dong, Roth & Su (2022): that
   such a combination of independent standard normal variables is standard normal, and the composition of
   releases that are chosen by earlier ones. *)
From Coq Require Import Reals Lra List.
From Coquelicot Require Import Coquelicot.
Require Import Integral Book.
Import ListNotations.
Open Scope R_scope.

(* The density of s + N(0, sigma^2), but for the factor 1 / (sigma sqrt(2 pi)). *)
Definition gauss (sigma s x : R) : R := exp (- ((x - s) ^ 2 / (2 * sigma ^ 2))).

Lemma ratio sigma s s' x : 0 < sigma ->
  gauss sigma s' x = exp ((s' - s) * (2 * x - s - s') / (2 * sigma ^ 2)) * gauss sigma s x.
Proof. intros S. unfold gauss. rewrite <- exp_plus. f_equal. field. lra. Qed.

(* A test: the chance of saying "s'" on seeing x.  The threshold test says so from t on (s < s'). *)
Definition threshold (t x : R) : R := if Rle_dec t x then 1 else 0.
Theorem one_release_is_gdp sigma s s' t test false_alarm power power_of_threshold :
  0 < sigma -> s < s' -> (forall x, 0 <= test x <= 1) ->
  line (fun x => test x * gauss sigma s x) false_alarm -> line (fun x => test x * gauss sigma s' x) power ->
  line (fun x => threshold t x * gauss sigma s x) false_alarm ->
  line (fun x => threshold t x * gauss sigma s' x) power_of_threshold ->
  power <= power_of_threshold.
Proof.
intros S O T A B C D. set (c := exp ((s' - s) * (2 * t - s - s') / (2 * sigma ^ 2))).
assert (forall f a b, line (fun x => f x * gauss sigma s x) a -> line (fun x => f x * gauss sigma s' x) b ->
  line (fun x => f x * (gauss sigma s' x - c * gauss sigma s x)) (b - c * a)) as Sub.
{ intros f a b X Y. pose proof (line_scale c _ a (c * a) eq_refl X) as Z.
  pose proof (is_RInt_gen_minus _ _ _ _ Y Z) as W. unfold minus, plus, opp in W; simpl in W.
  apply (line_ext (fun x => f x * gauss sigma s' x + - (c * (f x * gauss sigma s x)))); [intros; ring|]. exact W. }
pose proof (Sub test _ _ A B) as X. pose proof (Sub (threshold t) _ _ C D) as Y.
assert (power - c * false_alarm <= power_of_threshold - c * false_alarm); [|lra].
apply (line_le (fun x => test x * (gauss sigma s' x - c * gauss sigma s x))
  (fun x => threshold t x * (gauss sigma s' x - c * gauss sigma s x))); trivial.
intros x. specialize (T x). rewrite (ratio sigma s s' x S). unfold threshold.
assert (0 < gauss sigma s x) as G by apply exp_pos.
assert (0 < / (2 * sigma ^ 2)) as I by (apply Rinv_0_lt_compat; nra).
destruct (Rle_dec t x) as [L|L].
- assert (c <= exp ((s' - s) * (2 * x - s - s') / (2 * sigma ^ 2))) as E.
  { apply exp_le. apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; lra. }
  set (w := exp ((s' - s) * (2 * x - s - s') / (2 * sigma ^ 2))) in *.
  assert (0 <= (1 - test x) * ((w - c) * gauss sigma s x)) by (repeat apply Rmult_le_pos; lra). lra.
- assert (exp ((s' - s) * (2 * x - s - s') / (2 * sigma ^ 2)) <= c) as E.
  { apply exp_le. apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; lra. }
  set (w := exp ((s' - s) * (2 * x - s - s') / (2 * sigma ^ 2))) in *.
  assert (0 <= test x * ((c - w) * gauss sigma s x)) by (repeat apply Rmult_le_pos; lra). lra.
Qed.

(* Many releases on a path: (s, s', sigma, y) each. *)
Record release := { here : R; there : R; sigma : R; seen : R }.
Definition shift (r : release) := (here r - there r) / sigma r.
Definition noise (r : release) := (seen r - here r) / sigma r.      (* standard, in the first world *)
Fixpoint total (f : release -> R) (rs : list release) : R := match rs with [] => 0 | r :: rest => f r + total f rest end.
Fixpoint joint (world : release -> R) (rs : list release) : R :=
  match rs with [] => 1 | r :: rest => gauss (sigma r) (world r) (seen r) * joint world rest end.
Definition budget (rs : list release) := total (fun r => shift r ^ 2) rs.
(* Of norm 1: the squares of shift / sqrt budget add up to 1. *)
Definition combination (rs : list release) := total (fun r => shift r / sqrt (budget rs) * noise r) rs.

Lemma total_scale c f rs : total (fun r => c * f r) rs = c * total f rs.
Proof. induction rs; simpl; [ring | rewrite IHrs; ring]. Qed.
Lemma total_same f g rs : (forall r, f r = g r) -> total f rs = total g rs.
Proof. intros E. induction rs; simpl; [reflexivity | rewrite E, IHrs; reflexivity]. Qed.
Lemma loss rs : (forall r, In r rs -> 0 < sigma r) ->
  joint here rs = exp (total (fun r => shift r * noise r) rs + budget rs / 2) * joint there rs.
Proof.
intros S. induction rs as [|r rest IH]; unfold budget in *; simpl.
- replace (0 + 0 / 2) with 0 by field. rewrite exp_0. ring.
- rewrite IH by (intros; apply S; right; trivial). assert (0 < sigma r) as P by (apply S; left; trivial).
  rewrite (ratio (sigma r) (there r) (here r) (seen r) P).
  set (u := (here r - there r) * (2 * seen r - there r - here r) / (2 * sigma r ^ 2)).
  set (v := total (fun r => shift r * noise r) rest + total (fun r => shift r ^ 2) rest / 2).
  match goal with |- _ = exp ?x * _ => replace x with (u + v) end.
  + rewrite (exp_plus u v). ring.
  + unfold u, v, shift, noise; simpl. field. lra.
Qed.
Theorem loss_of_many rs eta : (forall r, In r rs -> 0 < sigma r) -> 0 < eta -> budget rs = eta ^ 2 ->
  joint here rs = exp (eta * combination rs + eta ^ 2 / 2) * joint there rs /\
  total (fun r => (shift r / sqrt (budget rs)) ^ 2) rs = 1.
Proof.
intros S E B. assert (sqrt (budget rs) = eta) as Q by (rewrite B; apply sqrt_pow2; lra).
split.
- rewrite loss by exact S. unfold combination. rewrite Q, B. f_equal. f_equal. f_equal.
  rewrite <- total_scale. apply total_same. intros. field. lra.
- rewrite Q. rewrite (total_same _ (fun r => / eta ^ 2 * shift r ^ 2)) by (intros; field; lra).
  rewrite total_scale. change (/ eta ^ 2 * budget rs = 1). rewrite B. field. lra.
Qed.
(* Where one of the releases holds the changed reward, and moves by 1 at most. *)
Theorem batch_budget before r after : (forall q, In q (before ++ after) -> here q = there q) -> 0 < sigma r ->
  Rabs (here r - there r) <= 1 -> budget (before ++ r :: after) <= 1 / sigma r ^ 2.
Proof.
intros E S D. unfold budget.
assert (forall qs, (forall q, In q qs -> here q = there q) -> total (fun q => shift q ^ 2) qs = 0) as Z.
{ induction qs as [|q qs IH]; intros H; cbn [total]; [reflexivity|]. rewrite IH by (intros; apply H; right; trivial).
  unfold shift. rewrite (H q) by (left; trivial). unfold Rdiv. ring. }
assert (forall a b, total (fun q => shift q ^ 2) (a ++ b) = total (fun q => shift q ^ 2) a + total (fun q => shift q ^ 2) b) as App.
{ induction a as [|q a IH]; intros b; cbn [total app]; [ring | rewrite IH; ring]. }
rewrite App. cbn [total]. rewrite !Z by (intros; apply E, in_or_app; auto).
apply Rabs_le_between in D. unfold shift. set (d := here r - there r) in *.
replace (0 + ((d / sigma r) ^ 2 + 0)) with (d * d * / (sigma r * sigma r)) by (field; lra).
replace (1 / sigma r ^ 2) with (1 * / (sigma r * sigma r)) by (field; lra).
apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; nra | nra].
Qed.
