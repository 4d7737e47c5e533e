package nn

import (
	"errors"
	"fmt"
	"math"
)

// Names of the optimisers in TrainConfig.
const (
	// Adam is Adam (Kingma & Ba 2015) with decoupled weight decay (Loshchilov
	// & Hutter 2019). It learns fastest from few steps and is the default.
	Adam = "adam"
	// SGD is gradient descent with momentum.
	SGD = "sgd"
)

// Names of the learning-rate schedules in TrainConfig.
const (
	// Constant keeps the rate after warm-up.
	Constant = "constant"
	// Cosine falls along half a cosine from LearningRate after warm-up to
	// FinalRate at ScheduleSteps (Loshchilov & Hutter 2017, without restarts),
	// and stays there.
	Cosine = "cosine"
	// Linear falls along a line between the same points.
	Linear = "linear"
)

// MaxThreads is the largest number of cores that a training step can be given.
const MaxThreads = 256

// TrainConfig says how a network is trained. Start from DefaultTrainConfig.
type TrainConfig struct {
	// BatchSize is the number of samples a step averages over, 1 to 65536.
	// The graph is built for it; smaller batches are filled up with samples of
	// weight 0 and cost as much.
	BatchSize int `json:"batch_size" yaml:"batch_size"`
	// Optimizer is Adam or SGD.
	Optimizer string `json:"optimizer" yaml:"optimizer"`
	// LearningRate is the step size after warm-up, above 0. Usual: 0.001 to
	// 0.003 for Adam, 0.02 to 0.1 for SGD.
	LearningRate float64 `json:"learning_rate" yaml:"learning_rate"`
	// WarmupSteps is the number of first steps during which the learning rate
	// rises linearly, so that Adam's estimates settle before they matter.
	WarmupSteps int `json:"warmup_steps" yaml:"warmup_steps"`
	// Schedule is how the rate goes on after warm-up: Constant (also if empty),
	// Cosine or Linear.
	Schedule string `json:"schedule,omitempty" yaml:"schedule,omitempty"`
	// ScheduleSteps is the step, counted like warm-up from the first step of
	// the optimiser, at which Cosine and Linear have come down; above
	// WarmupSteps with those.
	ScheduleSteps int `json:"schedule_steps,omitempty" yaml:"schedule_steps,omitempty"`
	// FinalRate is the rate from there on, 0 to LearningRate.
	FinalRate float64 `json:"final_rate,omitempty" yaml:"final_rate,omitempty"`
	// Momentum is SGD's, 0 to below 1.
	Momentum float64 `json:"momentum" yaml:"momentum"`
	// Beta1 and Beta2 are Adam's decay rates of its moments, Epsilon its guard
	// against division by 0.
	Beta1   float64 `json:"beta1" yaml:"beta1"`
	Beta2   float64 `json:"beta2" yaml:"beta2"`
	Epsilon float64 `json:"epsilon" yaml:"epsilon"`
	// WeightDecay shrinks weights (not biases or scales) by
	// LearningRate·WeightDecay a step, 0 for none.
	WeightDecay float64 `json:"weight_decay" yaml:"weight_decay"`
	// GradClip bounds the Euclidean norm of the whole gradient, 0 for no
	// bound: one odd batch must not undo many good ones.
	GradClip float64 `json:"grad_clip" yaml:"grad_clip"`
	// ValueLoss and MaterialLoss weigh those losses against the policy's,
	// which has weight 1. 0 switches a part off.
	ValueLoss    float64 `json:"value_loss" yaml:"value_loss"`
	MaterialLoss float64 `json:"material_loss" yaml:"material_loss"`
	// SurvivalLoss, PliesLoss and ReplyLoss weigh the losses of the auxiliary
	// heads, 0 by default; above 0 they need a network with Config.Auxiliary.
	// KataGo's weights (Wu 2019) are 1.5 for its counterpart of survival, the
	// mean over squares, and 0.15 for the reply.
	SurvivalLoss float64 `json:"survival_loss,omitempty" yaml:"survival_loss,omitempty"`
	PliesLoss    float64 `json:"plies_loss,omitempty" yaml:"plies_loss,omitempty"`
	ReplyLoss    float64 `json:"reply_loss,omitempty" yaml:"reply_loss,omitempty"`
	// Threads is how many cores a step may use, 1 to MaxThreads. The result is the
	// same to the last bit whatever it is.
	Threads int `json:"threads" yaml:"threads"`
}

// DefaultTrainConfig returns the configuration that suits runs of minutes on
// small boards.
func DefaultTrainConfig() TrainConfig {
	return TrainConfig{
		BatchSize: 128, Optimizer: Adam, LearningRate: 2e-3, WarmupSteps: 20,
		Momentum: 0.9, Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8,
		WeightDecay: 1e-2, GradClip: 5, ValueLoss: 1, MaterialLoss: 0.25, Threads: 1,
	}
}

// Validate returns every problem with the configuration at once, or nil.
func (c TrainConfig) Validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if c.BatchSize < 1 || c.BatchSize > 1<<16 {
		bad("batch_size is %d; it must be 1 to %d", c.BatchSize, 1<<16)
	}
	if c.Optimizer != Adam && c.Optimizer != SGD {
		bad("optimizer is %q; it must be %q or %q", c.Optimizer, Adam, SGD)
	}
	if c.WarmupSteps < 0 {
		bad("warmup_steps is %d; it must not be negative", c.WarmupSteps)
	}
	switch c.Schedule {
	case "", Constant:
	case Cosine, Linear:
		if c.ScheduleSteps <= c.WarmupSteps {
			bad("schedule_steps is %d; with schedule %s it must be above warmup_steps, %d", c.ScheduleSteps, c.Schedule, c.WarmupSteps)
		}
	default:
		bad("schedule is %q; it must be %q, %q or %q", c.Schedule, Constant, Cosine, Linear)
	}
	if c.Threads < 1 || c.Threads > MaxThreads {
		bad("threads is %d; it must be 1 to %d", c.Threads, MaxThreads)
	}
	number := func(field string, v, lo, hi float64, open bool) {
		switch {
		case math.IsNaN(v) || v < lo || v > hi || (open && v == lo):
			bad("%s is %v; it must be %s %v and at most %v", field, v, map[bool]string{true: "above", false: "at least"}[open], lo, hi)
		}
	}
	number("learning_rate", c.LearningRate, 0, 10, true)
	number("final_rate", c.FinalRate, 0, max(0, c.LearningRate), false)
	number("momentum", c.Momentum, 0, 0.9999, false)
	number("beta1", c.Beta1, 0, 0.9999, false)
	number("beta2", c.Beta2, 0, 0.999999, false)
	number("epsilon", c.Epsilon, 0, 1, true)
	number("weight_decay", c.WeightDecay, 0, 10, false)
	number("grad_clip", c.GradClip, 0, 1e9, false)
	number("value_loss", c.ValueLoss, 0, 1e6, false)
	number("material_loss", c.MaterialLoss, 0, 1e6, false)
	number("survival_loss", c.SurvivalLoss, 0, 1e6, false)
	number("plies_loss", c.PliesLoss, 0, 1e6, false)
	number("reply_loss", c.ReplyLoss, 0, 1e6, false)
	return errors.Join(errs...)
}
