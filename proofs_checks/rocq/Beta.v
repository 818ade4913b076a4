(* Facts 13 and 18 of Hu, Huang & Mehta (2021), for whole parameters alpha = a + 1 and beta = b + 1, as Thompson
   sampling has them.  Fact 13: x^a (1 - x)^b divided by its integral over [0, 1] is a density there; the integral is
   a! b!/(a + b + 1)!.  Fact 18: the distribution function of Beta(alpha, beta) at y is 1 less that of
   Binomial(alpha + beta - 1, y) at alpha - 1.

   Modelled: integrals are Riemann's, over [0, y]; the binomial distribution function is the finite sum. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Definition kernel (a b : nat) (x : R) : R := x ^ a * (1 - x) ^ b.
Definition binomial_cdf (n : nat) (y : R) (k : nat) : R :=
  sum_f_R0 (fun i => Binomial.C n i * y ^ i * (1 - y) ^ (n - i)) k.
Definition weight (a b : nat) : R := INR (fact (a + b + 1)) / (INR (fact a) * INR (fact b)).

Lemma INR_fact_S n : INR (fact (S n)) = (INR n + 1) * INR (fact n).
Proof. change (fact (S n)) with (S n * fact n)%nat. rewrite mult_INR, S_INR. reflexivity. Qed.

(* What is added for one more success has the derivative of what is lost. *)
Lemma cdf_derive a : forall b y, is_derive (fun y => binomial_cdf (a + b + 1) y a) y (- (weight a b * kernel a b y)).
Proof.
induction a as [|a IH]; intros b y.
- replace (0 + b + 1)%nat with (S b) by lia. unfold binomial_cdf. simpl sum_f_R0.
  apply (is_derive_ext (fun y => (1 - y) ^ S b)).
  + intros t. apply (@eq_trans R _ (Binomial.C (S b) 0 * t ^ 0 * (1 - t) ^ (S b - 0))); [|reflexivity]. rewrite Nat.sub_0_r. unfold Binomial.C. simpl (fact 0). rewrite Nat.sub_0_r. simpl (INR 1).
    field. apply INR_fact_neq_0.
  + auto_derive; [trivial|]. unfold weight, kernel. replace (0 + b + 1)%nat with (S b) by lia.
    change (match b with 0%nat => 1 | S _ => INR b + 1 end) with (INR (S b)).
    rewrite INR_fact_S, S_INR. simpl (fact 0). simpl (INR 1). simpl (y ^ 0). unfold Rminus.
    field. apply INR_fact_neq_0.
- assert (S a + b + 1 = a + S b + 1)%nat as E by lia.
  rewrite E. unfold binomial_cdf. simpl sum_f_R0.
  replace (- (weight (S a) b * kernel (S a) b y)) with
    (- (weight a (S b) * kernel a (S b) y) + (weight a (S b) * kernel a (S b) y - weight (S a) b * kernel (S a) b y)) by ring.
  apply (is_derive_plus (fun y => binomial_cdf (a + S b + 1) y a)
    (fun y => Binomial.C (a + S b + 1) (S a) * y ^ S a * (1 - y) ^ (a + S b + 1 - S a))); [apply IH|].
  replace (a + S b + 1 - S a)%nat with (S b) by lia.
  auto_derive; [trivial|]. unfold weight, kernel, Binomial.C. rewrite E.
  replace (a + S b + 1 - S a)%nat with (S b) by lia. rewrite !INR_fact_S.
  pose proof (INR_fact_neq_0 a). pose proof (INR_fact_neq_0 b). pose proof (pos_INR a). pose proof (pos_INR b).
  change (match a with 0%nat => 1 | S _ => INR a + 1 end) with (INR (S a)).
  change (match b with 0%nat => 1 | S _ => INR b + 1 end) with (INR (S b)). rewrite !S_INR. simpl pow. unfold Rminus.
  field. repeat split; try assumption; apply Rgt_not_eq; lra.
Qed.
Lemma cdf_at_0 n k : binomial_cdf n 0 k = 1.
Proof.
unfold binomial_cdf. induction k as [|k IH]; simpl sum_f_R0.
- rewrite Nat.sub_0_r. unfold Binomial.C. rewrite Nat.sub_0_r, Rminus_0_r, pow1. simpl. field. apply INR_fact_neq_0.
- rewrite IH. ring.
Qed.
Lemma cdf_at_1 a b : binomial_cdf (a + b + 1) 1 a = 0.
Proof.
unfold binomial_cdf. assert (forall k, (k <= a)%nat -> sum_f_R0 (fun i => Binomial.C (a + b + 1) i * 1 ^ i * (1 - 1) ^ (a + b + 1 - i)) k = 0) as Z; [|apply Z; lia].
induction k as [|k IH]; intros L; simpl sum_f_R0.
- rewrite Rminus_diag_eq, pow_i by (trivial; lia). ring.
- rewrite IH by lia. rewrite (Rminus_diag_eq 1 1 eq_refl), pow_i by lia. ring.
Qed.
Lemma kernel_continuous a b x : continuous (kernel a b) x.
Proof. apply (ex_derive_continuous (kernel a b)). unfold kernel. auto_derive. trivial. Qed.
Lemma kernel_integral a b y : is_RInt (kernel a b) 0 y ((1 - binomial_cdf (a + b + 1) y a) / weight a b).
Proof.
assert (weight a b <> 0) as W.
{ unfold weight. apply Rgt_not_eq, Rdiv_lt_0_compat; [|apply Rmult_lt_0_compat]; apply INR_fact_lt_0. }
apply (is_RInt_ext (fun x => scal (/ weight a b) (weight a b * kernel a b x))).
{ intros x _. unfold scal; simpl. unfold mult; simpl. field. exact W. }
replace ((1 - binomial_cdf (a + b + 1) y a) / weight a b) with
  (scal (/ weight a b) (minus (- binomial_cdf (a + b + 1) y a) (- binomial_cdf (a + b + 1) 0 a))).
- apply (is_RInt_scal (V := R_NormedModule)). apply (is_RInt_derive (V := R_CompleteNormedModule) (fun y => - binomial_cdf (a + b + 1) y a)).
  + intros x _. replace (weight a b * kernel a b x) with (opp (- (weight a b * kernel a b x))) by (unfold opp; simpl; ring).
    apply (is_derive_opp (fun y => binomial_cdf (a + b + 1) y a)), cdf_derive.
  + intros x _. apply (continuous_scal_r (weight a b) (kernel a b)), kernel_continuous.
- rewrite cdf_at_0. unfold scal, minus, plus, opp; simpl. unfold mult; simpl. field. exact W.
Qed.

Theorem fact_13 a b : is_RInt (kernel a b) 0 1 (INR (fact a) * INR (fact b) / INR (fact (a + b + 1))) /\
  (forall x, 0 <= x <= 1 -> 0 <= kernel a b x) /\ is_RInt (fun x => weight a b * kernel a b x) 0 1 1.
Proof.
assert (is_RInt (kernel a b) 0 1 (/ weight a b)) as I.
{ replace (/ weight a b) with ((1 - binomial_cdf (a + b + 1) 1 a) / weight a b); [apply kernel_integral|].
  rewrite cdf_at_1. unfold Rdiv. ring. }
pose proof (INR_fact_neq_0 a). pose proof (INR_fact_neq_0 b). pose proof (INR_fact_neq_0 (a + b + 1)).
split; [|split].
- replace (INR (fact a) * INR (fact b) / INR (fact (a + b + 1))) with (/ weight a b); [exact I|].
  unfold weight. field. auto.
- intros x X. apply Rmult_le_pos; apply pow_le; lra.
- pose proof (is_RInt_scal (V := R_NormedModule) _ 0 1 (weight a b) _ I) as J. unfold scal in J; simpl in J; unfold mult in J; simpl in J.
  replace 1 with (weight a b * / weight a b) at 2; [exact J|]. apply Rinv_r. unfold weight.
  apply Rgt_not_eq, Rdiv_lt_0_compat; [|apply Rmult_lt_0_compat]; apply INR_fact_lt_0.
Qed.
(* The distribution function of Beta(a + 1, b + 1) at y is the one integral by the other. *)
Theorem fact_18 a b y part whole : 0 <= y <= 1 -> is_RInt (kernel a b) 0 y part -> is_RInt (kernel a b) 0 1 whole ->
  part / whole = 1 - binomial_cdf (S a + S b - 1) y (S a - 1).
Proof.
intros _ P W. replace (S a + S b - 1)%nat with (a + b + 1)%nat by lia. replace (S a - 1)%nat with a by lia.
apply (is_RInt_unique (V := R_CompleteNormedModule)) in P, W.
rewrite <- P, <- W. rewrite (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _ (kernel_integral a b y)).
rewrite (is_RInt_unique (V := R_CompleteNormedModule) _ _ _ _ (kernel_integral a b 1)), cdf_at_1.
assert (weight a b <> 0); [|field; auto].
unfold weight. apply Rgt_not_eq, Rdiv_lt_0_compat; [|apply Rmult_lt_0_compat]; apply INR_fact_lt_0.
Qed.
