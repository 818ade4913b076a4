From Coq Require Export Reals ZArith QArith Qreals List Lra Psatz.
From Coquelicot Require Export Coquelicot.
From Interval Require Export Tactic.
From Interval.Float Require Import Basic Sig Specific_ops Specific_bigint Primitive_ops.
From Interval.Interval Require Import Interval Float Float_full.
From Interval.Real Require Import Xreal.
Import ListNotations.
Open Scope R_scope.

(* Whole numbers. *)
Definition range (lo hi : Z) : list Z :=
  map (fun i => (lo + Z.of_nat i)%Z) (seq 0 (Z.to_nat (hi - lo + 1))).
Definition steps (lo hi by_ : Z) : list Z :=
  map (fun i => (lo + by_ * Z.of_nat i)%Z) (seq 0 (Z.to_nat ((hi - lo) / by_ + 1))).
Fixpoint factorial (n : nat) : Z := match n with O => 1 | S m => Z.of_nat n * factorial m end.
Fixpoint ways (top : Z) (k : nat) : Z :=
  match k with O => 1 | S m => ways top m * (top - Z.of_nat m) / Z.of_nat k end%Z.
Definition binomial (n k : Z) : Z := if (k <? 0)%Z then 0%Z else ways n (Z.to_nat k).
Definition zsum (lo hi : Z) (f : Z -> Z) : Z := fold_right (fun k t => (f k + t)%Z) 0%Z (range lo hi).
Definition zprod (lo hi : Z) (f : Z -> Z) : Z := fold_right (fun k t => (f k * t)%Z) 1%Z (range lo hi).
Definition qsum (lo hi : Z) (f : Z -> Q) : Q := fold_right (fun k t => Qred (f k + t)) 0%Q (range lo hi).
Definition qprod (lo hi : Z) (f : Z -> Q) : Q := fold_right (fun k t => Qred (f k * t)) 1%Q (range lo hi).
Definition qabs (q : Q) : Q := if Qle_bool 0 q then q else (- q)%Q.
Definition qmin (a b : Q) : Q := if Qle_bool a b then a else b.
Definition qmax (a b : Q) : Q := if Qle_bool a b then b else a.
Definition qfloor (q : Q) : Z := (Qnum q / Zpos (Qden q))%Z.
Definition qceil (q : Q) : Z := (- (- Qnum q / Zpos (Qden q)))%Z.
Definition qle (a b : Q) : bool := Qle_bool a b.
Definition qlt (a b : Q) : bool := negb (Qle_bool b a).
Definition qeq (a b : Q) : bool := Qeq_bool a b.

Lemma qle_ok a b : qle a b = true -> (a <= b)%Q.
Proof. apply Qle_bool_iff. Qed.
Lemma qlt_ok a b : qlt a b = true -> (a < b)%Q.
Proof. unfold qlt. intros H. apply Qnot_le_lt. intros G. apply Qle_bool_iff in G. rewrite G in H. discriminate. Qed.
Lemma qeq_ok a b : qeq a b = true -> (a == b)%Q.
Proof. apply Qeq_bool_eq. Qed.

(* Every one of a list. *)
Lemma every {A} (P : A -> Prop) (f : A -> bool) (l : list A) :
  (forall a, f a = true -> P a) -> forallb f l = true -> forall a, In a l -> P a.
Proof. intros H G a I. apply H. rewrite forallb_forall in G. auto. Qed.

(* The standard normal distribution function. *)
Definition bell (t : R) := exp (- t ^ 2 / 2).
Definition Phi (x : R) : R := 1 / 2 + RInt bell 0 x / sqrt (2 * PI).

(* Formulas with whole numbers, fractions and functions of them inside. *)
Inductive expr :=
| Int (z : Z) | Rat (q : Q) | Pi | Var (n : nat)
| Add (a b : expr) | Sub (a b : expr) | Mul (a b : expr) | Div (a b : expr)
| Min (a b : expr) | Max (a b : expr)
| Neg (a : expr) | Exp (a : expr) | Ln (a : expr) | Sqrt (a : expr) | Abs (a : expr)
| Pow (a : expr) (n : Z) | Normal (terms : nat) (a : expr) | If (c : bool) (a b : expr)
| Sum (lo hi : Z) (f : Z -> expr) | Prod (lo hi : Z) (f : Z -> expr).

Fixpoint denote (at_ : list R) (e : expr) : R :=
  match e with
  | Int z => IZR z
  | Rat q => IZR (Qnum q) / IZR (Zpos (Qden q))
  | Pi => PI
  | Var n => nth n at_ 0
  | Add a b => denote at_ a + denote at_ b
  | Sub a b => denote at_ a - denote at_ b
  | Mul a b => denote at_ a * denote at_ b
  | Div a b => denote at_ a / denote at_ b
  | Min a b => Rmin (denote at_ a) (denote at_ b)
  | Max a b => Rmax (denote at_ a) (denote at_ b)
  | Neg a => - denote at_ a
  | Exp a => exp (denote at_ a)
  | Ln a => ln (denote at_ a)
  | Sqrt a => sqrt (denote at_ a)
  | Abs a => Rabs (denote at_ a)
  | Pow a n => powerRZ (denote at_ a) n
  | Normal _ a => Phi (denote at_ a)
  | If c a b => if c then denote at_ a else denote at_ b
  | Sum lo hi f => fold_right (fun k t => denote at_ (f k) + t) 0 (range lo hi)
  | Prod lo hi f => fold_right (fun k t => denote at_ (f k) * t) 1 (range lo hi)
  end.
Inductive rel := Lt (a b : expr) | Le (a b : expr).
Definition holds (at_ : list R) (r : rel) : Prop :=
  match r with Lt a b => denote at_ a < denote at_ b | Le a b => denote at_ a <= denote at_ b end.

(* Between two fractions. *)
Definition lies_in (ends : Q * Q) (x : R) : Prop :=
  denote [] (Rat (fst ends)) <= x <= denote [] (Rat (snd ends)).

(* The series of the normal distribution function: x + x^3/3 + x^5/(3 5) + ... *)
Fixpoint odd_term (n : nat) (x : R) : R :=
  match n with O => x | S m => odd_term m x * x ^ 2 / IZR (2 * Z.of_nat m + 3) end.
Fixpoint odd_sum (n : nat) (x : R) : R :=
  match n with O => 0 | S m => odd_sum m x + odd_term m x end.
Fixpoint even_term (n : nat) (x : R) : R :=   (* the derivative of odd_term n *)
  match n with O => 1 | S m => odd_term m x * x end.

Lemma odd_den n : IZR (2 * Z.of_nat n + 3) <> 0.
Proof. apply not_0_IZR. lia. Qed.
Lemma odd_even n x : odd_term n x * IZR (2 * Z.of_nat n + 1) = even_term n x * x.
Proof.
destruct n as [|m]; [simpl; ring|].
cbn [odd_term even_term]. replace (2 * Z.of_nat (S m) + 1)%Z with (2 * Z.of_nat m + 3)%Z by lia.
field. apply odd_den.
Qed.
Lemma odd_derive n x : is_derive (odd_term n) x (even_term n x).
Proof.
induction n as [|m IH]; [apply (is_derive_id x)|].
assert (D : derivable_pt_lim (fun t => t ^ 2 / IZR (2 * Z.of_nat m + 3)) x (2 * x / IZR (2 * Z.of_nat m + 3))).
{ apply is_derive_Reals. generalize (odd_den m). generalize (IZR (2 * Z.of_nat m + 3)). intros c N. auto_derive; [trivial|]. simpl. field. exact N. }
apply is_derive_Reals in IH.
apply is_derive_Reals.
cbn [even_term].
replace (odd_term m x * x) with (even_term m x * (x ^ 2 / IZR (2 * Z.of_nat m + 3)) + odd_term m x * (2 * x / IZR (2 * Z.of_nat m + 3))).
{ eapply derivable_pt_lim_ext; [|exact (derivable_pt_lim_mult _ _ _ _ _ IH D)].
  intros t. unfold mult_fct. cbn [odd_term]. field. apply odd_den. }
generalize (odd_even m x). intros E.
replace (even_term m x * (x ^ 2 / IZR (2 * Z.of_nat m + 3)) + odd_term m x * (2 * x / IZR (2 * Z.of_nat m + 3)))
 with ((even_term m x * x * x + odd_term m x * x * 2) / IZR (2 * Z.of_nat m + 3)) by (field; apply odd_den).
rewrite <- E.
assert (G : IZR (2 * Z.of_nat m + 3) = IZR (2 * Z.of_nat m + 1) + 2) by (rewrite <- plus_IZR; f_equal; lia).
generalize (odd_den m). rewrite G. intros N. field. exact N.
Qed.

Lemma odd_sum_derive n x : exists d, is_derive (odd_sum n) x d /\ d - x * odd_sum n x = 1 - even_term n x.
Proof.
induction n as [|m [d [D E]]].
- exists 0. split; [apply (is_derive_const 0 x)| simpl; ring].
- exists (d + even_term m x). split.
  + apply (is_derive_plus (odd_sum m) (odd_term m)); [exact D | apply odd_derive].
  + cbn [odd_sum]. change (even_term (S m) x) with (odd_term m x * x). lra.
Qed.
Lemma odd_nonneg n x : 0 <= x -> 0 <= odd_term n x.
Proof.
intros X. induction n as [|m IH]; [exact X|]. cbn [odd_term].
apply Rdiv_le_0_compat; [apply Rmult_le_pos; [exact IH| apply pow2_ge_0]|]. apply IZR_lt. lia.
Qed.
Lemma even_nonneg n x : 0 <= x -> 0 <= even_term n x.
Proof. intros X. destruct n; [simpl; lra|]. cbn [even_term]. apply Rmult_le_pos; [apply odd_nonneg|]; exact X. Qed.

Lemma grow (f f' : R -> R) (a : R) :
  (forall x, a <= x -> is_derive f x (f' x)) ->
  (forall x, a <= x -> 0 <= f' x) -> forall x, a <= x -> f a <= f x.
Proof.
intros D P x ax.
destruct (Req_dec a x) as [E|N]; [rewrite E; lra|].
assert (a < x) as lt by lra.
destruct (MVT_gen f a x f') as [c [Hc E]].
- intros y Hy. rewrite Rmin_left in Hy by lra. apply D; lra.
- intros y Hy. rewrite Rmin_left, Rmax_right in Hy by lra.
  apply derivable_continuous_pt. exists (f' y). apply is_derive_Reals, D; lra.
- rewrite Rmin_left, Rmax_right in Hc by lra.
  assert (0 <= f' c * (x - a)) by (apply Rmult_le_pos; [apply P|]; lra).
  lra.
Qed.

Lemma bell_cont x : continuous bell x.
Proof. apply (ex_derive_continuous bell). unfold bell. auto_derive. trivial. Qed.
Lemma bell_int a b : ex_RInt bell a b.
Proof. apply (ex_RInt_continuous (V := R_CompleteNormedModule) bell). intros. apply bell_cont. Qed.
Lemma bell_derive x : is_derive (fun y => RInt bell 0 y) x (bell x).
Proof.
apply (is_derive_RInt bell (fun y => RInt bell 0 y) 0 x).
- apply filter_forall. intros y. apply (RInt_correct (V := R_CompleteNormedModule) bell), bell_int.
- apply bell_cont.
Qed.
Lemma bell_self x : is_derive bell x (- x * bell x).
Proof. unfold bell. auto_derive; [trivial|]. unfold Rdiv. simpl. field. Qed.
Lemma bell_bounds x : 0 < bell x <= 1.
Proof.
unfold bell. split; [apply exp_pos|]. rewrite <- exp_0.
destruct (Req_dec x 0) as [->|N]; [right; f_equal; simpl; field|].
left. apply exp_increasing. assert (0 < x ^ 2) by (apply pow2_gt_0; exact N). lra.
Qed.

Lemma area_low n x : 0 <= x -> bell x * odd_sum n x <= RInt bell 0 x.
Proof.
intros X.
assert (G : forall y, 0 <= y -> RInt bell 0 0 - bell 0 * odd_sum n 0 <= RInt bell 0 y - bell y * odd_sum n y).
{ apply (grow (fun y => RInt bell 0 y - bell y * odd_sum n y) (fun y => bell y * even_term n y)).
  - intros y _. destruct (odd_sum_derive n y) as [d [D E]].
    replace (bell y * even_term n y) with (bell y - ((- y * bell y) * odd_sum n y + bell y * d)).
    { apply (is_derive_minus (fun z => RInt bell 0 z) (fun z => bell z * odd_sum n z)); [apply bell_derive|].
      apply is_derive_Reals. apply (derivable_pt_lim_mult bell (odd_sum n)); apply is_derive_Reals; [apply bell_self| exact D]. }
    replace d with (1 - even_term n y + y * odd_sum n y) by lra. ring.
  - intros y Y. apply Rmult_le_pos; [left; apply bell_bounds | apply even_nonneg, Y]. }
specialize (G x X). rewrite RInt_point in G. unfold zero in G; simpl in G.
assert (Z : odd_sum n 0 = 0).
{ clear. induction n as [|m IH]; [reflexivity|]. cbn [odd_sum]. rewrite IH.
  replace (odd_term m 0) with 0; [ring|]. clear. destruct m; [reflexivity|]. cbn [odd_term]. unfold Rdiv. simpl. ring. }
rewrite Z in G. lra.
Qed.
Lemma area_high n x : 0 <= x -> RInt bell 0 x <= bell x * odd_sum n x + odd_term n x.
Proof.
intros X.
assert (G : forall y, 0 <= y -> bell 0 * odd_sum n 0 + odd_term n 0 - RInt bell 0 0 <= bell y * odd_sum n y + odd_term n y - RInt bell 0 y).
{ apply (grow (fun y => bell y * odd_sum n y + odd_term n y - RInt bell 0 y) (fun y => (1 - bell y) * even_term n y)).
  - intros y _. destruct (odd_sum_derive n y) as [d [D E]].
    replace ((1 - bell y) * even_term n y) with (((- y * bell y) * odd_sum n y + bell y * d) + even_term n y - bell y).
    { apply (is_derive_minus (fun z => bell z * odd_sum n z + odd_term n z) (fun z => RInt bell 0 z)); [|apply bell_derive].
      apply (is_derive_plus (fun z => bell z * odd_sum n z) (odd_term n)); [|apply odd_derive].
      apply is_derive_Reals. apply (derivable_pt_lim_mult bell (odd_sum n)); apply is_derive_Reals; [apply bell_self| exact D]. }
    replace d with (1 - even_term n y + y * odd_sum n y) by lra. ring.
  - intros y Y. apply Rmult_le_pos; [generalize (bell_bounds y); lra | apply even_nonneg, Y]. }
specialize (G x X). rewrite RInt_point in G. unfold zero in G; simpl in G.
assert (Z : odd_sum n 0 = 0 /\ forall m, odd_term m 0 = 0).
{ assert (T : forall m, odd_term m 0 = 0) by (intros m; destruct m; [reflexivity|]; cbn [odd_term]; unfold Rdiv; simpl; ring).
  split; [|exact T]. clear - T. induction n as [|m IH]; [reflexivity|]. cbn [odd_sum]. rewrite IH, T. ring. }
destruct Z as [Z T]. rewrite Z, T in G. lra.
Qed.
Lemma area_odd x : RInt bell 0 (- x) = - RInt bell 0 x.
Proof.
assert (H : is_RInt (fun y => opp (bell (- y))) 0 x (RInt bell 0 (- x))).
{ apply (is_RInt_comp_opp (V := R_NormedModule) bell 0 x). rewrite Ropp_0. apply (RInt_correct (V := R_CompleteNormedModule) bell), bell_int. }
apply (is_RInt_unique (V := R_CompleteNormedModule)) in H. rewrite <- H.
rewrite (RInt_ext _ (fun y => opp (bell y))).
- apply (RInt_opp (V := R_CompleteNormedModule) bell 0 x). apply bell_int.
- intros y _. unfold opp; simpl. f_equal. unfold bell. f_equal. simpl. field.
Qed.
Lemma Phi_minus x : Phi (- x) = 1 - Phi x.
Proof. unfold Phi. rewrite area_odd. unfold Rdiv. lra. Qed.

Lemma Phi_grows x y : x <= y -> Phi x <= Phi y.
Proof.
intros L. unfold Phi. apply Rplus_le_compat_l. apply Rmult_le_compat_r.
- left. apply Rinv_0_lt_compat, sqrt_lt_R0. generalize PI_RGT_0. lra.
- assert (C : RInt bell 0 x + RInt bell x y = RInt bell 0 y)
   by (apply (RInt_Chasles (V := R_CompleteNormedModule) bell); apply bell_int).
  assert (P : 0 <= RInt bell x y).
  { apply RInt_ge_0; [exact L | apply bell_int | intros z _; left; apply bell_bounds]. }
  lra.
Qed.

Module Type Floats := FloatOps with Definition radix := radix2 with Definition sensible_format := true.
Module Evaluator (F : Floats).
Module I := FloatIntervalFull F.

Definition sound (i : I.type) (r : R) := contains (I.convert i) (Xreal r).
Lemma sound_nan i r : contains (I.convert i) Xnan -> sound i r.
Proof. unfold sound. destruct (I.convert i); simpl; tauto. Qed.

Section Value.
Variable prec : F.precision.

Fixpoint series (n : nat) (x : I.type) : I.type * I.type :=
  match n with
  | O => (I.zero, x)
  | S m => let (s, t) := series m x in
    (I.add prec s t, I.div prec (I.mul prec t (I.power_int prec x 2)) (I.fromZ prec (2 * Z.of_nat m + 3)))
  end.
Definition area (n : nat) (x : I.type) : I.type :=
  let (s, t) := series n x in
  let body := I.mul prec (I.exp prec (I.div prec (I.neg (I.power_int prec x 2)) (I.fromZ prec 2))) s in
  I.add prec body (I.meet (I.upper_extent I.zero) (I.lower_extent t)).
Definition Phi_up (n : nat) (x : I.type) : I.type :=
  I.add prec (I.div prec (I.fromZ prec 1) (I.fromZ prec 2))
    (I.div prec (area n x) (I.sqrt prec (I.mul prec (I.fromZ prec 2) (I.pi prec)))).
Definition Phi_at (n : nat) (x : I.type) : I.type :=
  match I.sign_large x with
  | Xeq | Xgt => Phi_up n x
  | Xlt => I.sub prec (I.fromZ prec 1) (Phi_up n (I.neg x))
  | Xund => I.whole
  end.
Definition Phi_over (n : nat) (x : I.type) : I.type :=
  let l := I.singleton (I.lower x) in let u := I.singleton (I.upper x) in
  I.meet (if F.real (I.lower x) then I.upper_extent (Phi_at n l) else I.whole)
         (if F.real (I.upper x) then I.lower_extent (Phi_at n u) else I.whole).

Fixpoint value (at_ : list I.type) (e : expr) : I.type :=
  match e with
  | Int z => I.fromZ prec z
  | Rat q => I.div prec (I.fromZ prec (Qnum q)) (I.fromZ prec (Zpos (Qden q)))
  | Pi => I.pi prec
  | Var n => nth n at_ I.zero
  | Add a b => I.add prec (value at_ a) (value at_ b)
  | Sub a b => I.sub prec (value at_ a) (value at_ b)
  | Mul a b => I.mul prec (value at_ a) (value at_ b)
  | Div a b => I.div prec (value at_ a) (value at_ b)
  | Min a b => let x := value at_ a in let y := value at_ b in
      match I.sign_large (I.sub prec y x) with Xgt | Xeq => x | Xlt => y
      | Xund => I.meet (I.meet (I.lower_extent x) (I.lower_extent y)) (I.join x y) end
  | Max a b => let x := value at_ a in let y := value at_ b in
      match I.sign_large (I.sub prec y x) with Xgt | Xeq => y | Xlt => x
      | Xund => I.meet (I.meet (I.upper_extent x) (I.upper_extent y)) (I.join x y) end
  | Neg a => I.neg (value at_ a)
  | Exp a => I.exp prec (value at_ a)
  | Ln a => I.ln prec (value at_ a)
  | Sqrt a => I.sqrt prec (value at_ a)
  | Abs a => I.abs (value at_ a)
  | Pow a n => I.power_int prec (value at_ a) n
  | Normal n a => Phi_over n (value at_ a)
  | If c a b => if c then value at_ a else value at_ b
  | Sum lo hi f => fold_right (fun k t => I.add prec (value at_ (f k)) t) I.zero (range lo hi)
  | Prod lo hi f => fold_right (fun k t => I.mul prec (value at_ (f k)) t) (I.fromZ prec 1) (range lo hi)
  end.

Lemma add_ok a b x y : sound a x -> sound b y -> sound (I.add prec a b) (x + y).
Proof. intros. exact (I.add_correct prec _ _ _ _ H H0). Qed.
Lemma sub_ok a b x y : sound a x -> sound b y -> sound (I.sub prec a b) (x - y).
Proof. intros. exact (I.sub_correct prec _ _ _ _ H H0). Qed.
Lemma mul_ok a b x y : sound a x -> sound b y -> sound (I.mul prec a b) (x * y).
Proof. intros. exact (I.mul_correct prec _ _ _ _ H H0). Qed.
Lemma div_ok a b x y : sound a x -> sound b y -> sound (I.div prec a b) (x / y).
Proof.
intros Ha Hb. generalize (I.div_correct prec _ _ _ _ Ha Hb). simpl. unfold Xdiv'.
destruct (is_zero y); [apply sound_nan | trivial].
Qed.
Lemma neg_ok a x : sound a x -> sound (I.neg a) (- x).
Proof. intros H. exact (I.neg_correct _ _ H). Qed.
Lemma exp_ok a x : sound a x -> sound (I.exp prec a) (exp x).
Proof. intros H. exact (I.exp_correct prec _ _ H). Qed.
Lemma abs_ok a x : sound a x -> sound (I.abs a) (Rabs x).
Proof. intros H. exact (I.abs_correct _ _ H). Qed.
Lemma sqrt_ok a x : sound a x -> sound (I.sqrt prec a) (sqrt x).
Proof.
intros H. generalize (I.sqrt_correct prec _ _ H). simpl. unfold Xsqrt', Xsqrt_nan'.
try (destruct (is_negative x); [apply sound_nan | trivial]); trivial.
Qed.
Lemma ln_ok a x : sound a x -> sound (I.ln prec a) (ln x).
Proof.
intros H. generalize (I.ln_correct prec _ _ H). simpl. unfold Xln'.
destruct (is_positive x); [trivial | apply sound_nan].
Qed.
Lemma pow_ok a x n : sound a x -> sound (I.power_int prec a n) (powerRZ x n).
Proof.
intros H. generalize (I.power_int_correct prec n _ _ H). simpl. unfold Xpower_int'.
destruct n; trivial. destruct (is_zero x); [apply sound_nan | trivial].
Qed.
Lemma Z_ok z : sound (I.fromZ prec z) (IZR z).
Proof. apply I.fromZ_correct. Qed.
Lemma zero_ok : sound I.zero 0.
Proof. unfold sound. rewrite I.zero_correct. simpl. lra. Qed.
Lemma whole_ok x : sound I.whole x.
Proof. apply I.whole_correct. Qed.
Lemma join_ok a b x : sound a x \/ sound b x -> sound (I.join a b) x.
Proof. apply I.join_correct. Qed.
Lemma meet_ok a b x : sound a x -> sound b x -> sound (I.meet a b) x.
Proof. apply I.meet_correct. Qed.
Lemma sign_ok a x : sound a x ->
  match I.sign_large a with Xeq => x = 0 | Xlt => x <= 0 | Xgt => 0 <= x | Xund => True end.
Proof.
intros H. generalize (I.sign_large_correct a). destruct (I.sign_large a); trivial; intros G.
- specialize (G _ H). congruence.
- apply (G _ H).
- apply (G _ H).
Qed.

Lemma series_ok n i x : sound i x -> sound (fst (series n i)) (odd_sum n x) /\ sound (snd (series n i)) (odd_term n x).
Proof.
intros H. induction n as [|m [Hs Ht]]; [split; [apply zero_ok | exact H]|].
simpl series. destruct (series m i) as [s t]. cbn [fst snd] in *. split.
- cbn [odd_sum]. apply add_ok; assumption.
- cbn [odd_term]. apply div_ok; [|apply Z_ok]. apply mul_ok; [assumption|]. exact (pow_ok _ _ 2 H).
Qed.
Lemma area_ok n i x : 0 <= x -> sound i x -> sound (area n i) (RInt bell 0 x).
Proof.
intros X H. unfold area. generalize (series_ok n i x H). destruct (series n i) as [s t]. cbn [fst snd]. intros [Hs Ht].
replace (RInt bell 0 x) with (bell x * odd_sum n x + (RInt bell 0 x - bell x * odd_sum n x)) by ring.
apply add_ok.
- apply mul_ok; [|exact Hs]. unfold bell. apply exp_ok, div_ok; [|apply Z_ok]. apply neg_ok. exact (pow_ok _ _ 2 H).
- apply meet_ok.
  + apply (I.upper_extent_correct _ _ 0); [apply zero_ok|]. generalize (area_low n x X). lra.
  + apply (I.lower_extent_correct _ _ (odd_term n x)); [exact Ht|]. generalize (area_high n x X). lra.
Qed.
Lemma Phi_up_ok n i x : 0 <= x -> sound i x -> sound (Phi_up n i) (Phi x).
Proof.
intros X H. unfold Phi_up, Phi. apply add_ok; [apply div_ok; apply Z_ok|].
apply div_ok; [apply area_ok; assumption|]. apply sqrt_ok, mul_ok; [apply Z_ok | apply I.pi_correct].
Qed.
Lemma Phi_at_ok n i x : sound i x -> sound (Phi_at n i) (Phi x).
Proof.
intros H. unfold Phi_at. generalize (sign_ok i x H).
assert (U : 0 <= x -> sound (Phi_up n i) (Phi x)) by (intros; apply Phi_up_ok; assumption).
destruct (I.sign_large i); intros S; try (apply U; lra).
- replace (Phi x) with (1 - Phi (- x)) by (rewrite Phi_minus; ring).
  apply sub_ok; [apply Z_ok|]. apply Phi_up_ok; [lra | apply neg_ok, H].
- apply whole_ok.
Qed.
Lemma Phi_over_ok n i x : sound i x -> sound (Phi_over n i) (Phi x).
Proof.
intros H. unfold Phi_over.
assert (N : not_empty (I.convert i)) by (exists x; exact H).
apply meet_ok.
- generalize (F.real_correct (I.lower i)). destruct (F.real (I.lower i)); intros E; [|apply whole_ok].
  apply (I.upper_extent_correct _ (Phi x) (Phi (proj_val (F.toX (I.lower i))))).
  + apply Phi_at_ok. apply I.singleton_correct.
  + apply Phi_grows. generalize (I.lower_correct i N). intros L. change I.F.toX with F.toX in L. rewrite L in *.
    unfold sound in H. destruct (I.convert i) as [|l u]; [discriminate E|]. simpl in *.
    destruct l; [discriminate E | simpl; tauto].
- generalize (F.real_correct (I.upper i)). destruct (F.real (I.upper i)); intros E; [|apply whole_ok].
  apply (I.lower_extent_correct _ (Phi x) (Phi (proj_val (F.toX (I.upper i))))).
  + apply Phi_at_ok. apply I.singleton_correct.
  + apply Phi_grows. generalize (I.upper_correct i N). intros L. change I.F.toX with F.toX in L. rewrite L in *.
    unfold sound in H. destruct (I.convert i) as [|l u]; [discriminate E|]. simpl in *.
    destruct u; [discriminate E | simpl; tauto].
Qed.

Lemma value_ok box at_ e : Forall2 sound box at_ -> sound (value box e) (denote at_ e).
Proof.
intros B. induction e; cbn [value denote].
- apply Z_ok.
- apply div_ok; apply Z_ok.
- apply I.pi_correct.
- clear - B. revert n. induction B; intros n; destruct n; simpl; try apply zero_ok; auto.
- apply add_ok; assumption.
- apply sub_ok; assumption.
- apply mul_ok; assumption.
- apply div_ok; assumption.
- generalize (sign_ok _ _ (sub_ok _ _ _ _ IHe2 IHe1)). destruct (I.sign_large _); intros S.
  + rewrite Rmin_left by lra. assumption.
  + rewrite Rmin_right by lra. assumption.
  + rewrite Rmin_left by lra. assumption.
  + apply meet_ok; [apply meet_ok|].
    * apply (I.lower_extent_correct _ _ (denote at_ e1)); [assumption | apply Rmin_l].
    * apply (I.lower_extent_correct _ _ (denote at_ e2)); [assumption | apply Rmin_r].
    * apply join_ok. unfold Rmin. destruct (Rle_dec _ _); [left | right]; assumption.
- generalize (sign_ok _ _ (sub_ok _ _ _ _ IHe2 IHe1)). destruct (I.sign_large _); intros S.
  + rewrite Rmax_right by lra. assumption.
  + rewrite Rmax_left by lra. assumption.
  + rewrite Rmax_right by lra. assumption.
  + apply meet_ok; [apply meet_ok|].
    * apply (I.upper_extent_correct _ _ (denote at_ e1)); [assumption | apply Rmax_l].
    * apply (I.upper_extent_correct _ _ (denote at_ e2)); [assumption | apply Rmax_r].
    * apply join_ok. unfold Rmax. destruct (Rle_dec _ _); [right | left]; assumption.
- apply neg_ok; assumption.
- apply exp_ok; assumption.
- apply ln_ok; assumption.
- apply sqrt_ok; assumption.
- apply abs_ok; assumption.
- apply pow_ok; assumption.
- apply Phi_over_ok; assumption.
- destruct c; assumption.
- induction (range lo hi); simpl; [apply zero_ok|]. apply add_ok; auto.
- induction (range lo hi); simpl; [apply Z_ok|]. apply mul_ok; auto.
Qed.

Definition decide (box : list I.type) (r : rel) : bool :=
  match r with
  | Lt a b => match I.sign_strict (I.sub prec (value box b) (value box a)) with Xgt => true | _ => false end
  | Le a b => match I.sign_large (I.sub prec (value box b) (value box a)) with Xgt | Xeq => true | _ => false end
  end.
Lemma decide_ok box at_ r : Forall2 sound box at_ -> decide box r = true -> holds at_ r.
Proof.
intros B. destruct r as [a b|a b]; cbn [decide holds];
generalize (sub_ok _ _ _ _ (value_ok box at_ b B) (value_ok box at_ a B)); intros S.
- generalize (I.sign_strict_correct (I.sub prec (value box b) (value box a))).
  destruct (I.sign_strict _); intros G; try discriminate. intros _.
  destruct (G _ S) as [_ P]. simpl in P. lra.
- generalize (sign_ok _ _ S). destruct (I.sign_large _); intros G E; try discriminate E; lra.
Qed.

Fixpoint put (n : nat) (i : I.type) (box : list I.type) : list I.type :=
  match box, n with [], _ => [] | _ :: l, O => i :: l | j :: l, S m => j :: put m i l end.
Lemma put_ok n box at_ i : Forall2 sound box at_ -> sound i (nth n at_ 0) -> Forall2 sound (put n i box) at_.
Proof.
intros B. revert n. induction B; intros n H1; destruct n; simpl in *; constructor; auto.
Qed.
Lemma nth_ok n box at_ : Forall2 sound box at_ -> sound (nth n box I.zero) (nth n at_ 0).
Proof. intros B. revert n. induction B; intros n; destruct n; simpl; try apply zero_ok; auto. Qed.

(* A box is halved along one variable after the other until the relation is decided. *)
Fixpoint covered (depth : nat) (along : nat) (box : list I.type) (r : rel) : bool :=
  if decide box r then true else
  match depth with
  | O => false
  | S m => let (l, u) := I.bisect (nth along box I.zero) in
    let next := if Nat.ltb (S along) (length box) then S along else O in
    if covered m next (put along l box) r then covered m next (put along u box) r else false
  end.
Lemma covered_ok depth : forall along box at_ r,
  Forall2 sound box at_ -> covered depth along box r = true -> holds at_ r.
Proof.
induction depth as [|m IH]; intros along box at_ r B H; simpl in H;
destruct (decide box r) eqn:D; try (apply (decide_ok box at_ r B D)); try discriminate.
generalize (I.bisect_correct (nth along box I.zero) (Xreal (nth along at_ 0)) (nth_ok along box at_ B)).
destruct (I.bisect (nth along box I.zero)) as [l u]. cbn [fst snd]. intros C.
destruct (covered m _ (put along l box) r) eqn:L; [|discriminate].
destruct C as [C|C].
- apply (IH _ _ _ _ (put_ok along box at_ l B C) L).
- apply (IH _ _ _ _ (put_ok along box at_ u B C) H).
Qed.

(* What lies between two fractions. *)
Definition between (ends : Q * Q) : I.type :=
  I.meet (I.upper_extent (value [] (Rat (fst ends)))) (I.lower_extent (value [] (Rat (snd ends)))).
Lemma between_ok ends x : lies_in ends x -> sound (between ends) x.
Proof.
intros [L U]. unfold between. apply meet_ok.
- apply (I.upper_extent_correct _ x (denote [] (Rat (fst ends)))); [apply value_ok; constructor | exact L].
- apply (I.lower_extent_correct _ x (denote [] (Rat (snd ends)))); [apply value_ok; constructor | exact U].
Qed.
Lemma box_ok box at_ r depth : Forall2 lies_in box at_ ->
  covered depth 0 (map between box) r = true -> holds at_ r.
Proof.
intros W. apply covered_ok. induction W; simpl; constructor; [apply between_ok|]; assumption.
Qed.
Lemma here_ok r : decide [] r = true -> holds [] r.
Proof. apply decide_ok. constructor. Qed.
End Value.
End Evaluator.

Module Narrow := Evaluator PrimitiveFloat.
Module Floats_of_any_width := SpecificFloat BigIntRadix2.
Module Wide := Evaluator Floats_of_any_width.

(* Statements: relations, at points or for every member of finite lists. *)
Inductive statement :=
| ZLe (a b : Z) | ZLt (a b : Z) | ZEq (a b : Z)
| QLe (a b : Q) | QLt (a b : Q) | QEq (a b : Q)
| RLe (a b : expr) | RLt (a b : expr)
| When (c : bool) (s : statement)
| Both (s t : statement)
| EachZ (l : list Z) (f : Z -> statement)
| EachQ (l : list Q) (f : Q -> statement).
Fixpoint true_ (s : statement) : Prop :=
  match s with
  | ZLe a b => (a <= b)%Z | ZLt a b => (a < b)%Z | ZEq a b => a = b
  | QLe a b => (a <= b)%Q | QLt a b => (a < b)%Q | QEq a b => (a == b)%Q
  | RLe a b => denote [] a <= denote [] b | RLt a b => denote [] a < denote [] b
  | When c s => c = true -> true_ s
  | Both s t => true_ s /\ true_ t
  | EachZ l f => forall n, In n l -> true_ (f n)
  | EachQ l f => forall q, In q l -> true_ (f q)
  end.
Fixpoint check (decide : rel -> bool) (s : statement) : bool :=
  match s with
  | ZLe a b => (a <=? b)%Z | ZLt a b => (a <? b)%Z | ZEq a b => (a =? b)%Z
  | QLe a b => qle a b | QLt a b => qlt a b | QEq a b => qeq a b
  | RLe a b => decide (Le a b) | RLt a b => decide (Lt a b)
  | When c s => if c then check decide s else true
  | Both s t => if check decide s then check decide t else false
  | EachZ l f => forallb (fun n => check decide (f n)) l
  | EachQ l f => forallb (fun q => check decide (f q)) l
  end.
Lemma check_ok decide : (forall r, decide r = true -> holds [] r) ->
  forall s, check decide s = true -> true_ s.
Proof.
intros D. induction s; cbn [check true_]; intros C.
- apply Z.leb_le, C.
- apply Z.ltb_lt, C.
- apply Z.eqb_eq, C.
- apply qle_ok, C.
- apply qlt_ok, C.
- apply qeq_ok, C.
- exact (D _ C).
- exact (D _ C).
- intros E. rewrite E in C. auto.
- destruct (check decide s1) eqn:E; [auto | discriminate].
- intros n I. rewrite forallb_forall in C. auto.
- intros q I. rewrite forallb_forall in C. auto.
Qed.
Lemma narrow_ok s : check (Narrow.decide (PrimitiveFloat.PtoP 53) []) s = true -> true_ s.
Proof. apply check_ok. intros r. apply Narrow.here_ok. Qed.
Lemma wide_ok n s : check (Wide.decide (Floats_of_any_width.PtoP n) []) s = true -> true_ s.
Proof. apply check_ok. intros r. apply Wide.here_ok. Qed.

Ltac yes := vm_compute; reflexivity.
Ltac by_computation := first
  [ apply narrow_ok; yes | apply (wide_ok 100); yes | apply (wide_ok 400); yes | apply (wide_ok 1500); yes ].

Ltac each_lies := repeat (apply Forall2_cons; [assumption|]); apply Forall2_nil.
(* A relation of formulas over a box. *)
Ltac by_boxes ends :=
  intros; first
  [ apply (Narrow.box_ok (PrimitiveFloat.PtoP 53) ends _ _ 16%nat); [each_lies | yes]
  | apply (Wide.box_ok (Floats_of_any_width.PtoP 80) ends _ _ 14%nat); [each_lies | yes] ].
