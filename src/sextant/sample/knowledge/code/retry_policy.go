// Package retry holds the retry rules of Process X. Owned by Team Y.
// Last reviewed: 2026-06-15.
//
// A refund is tried once per run. After MaxFailedRuns it is parked for a person,
// see RB-102. Raising BatchSize needs a word with the bank first.
package retry

import "time"

const (
	// BatchSize is the number of refunds that one run of Process X sends at most.
	BatchSize = 500
	// MaxFailedRuns is how many runs may fail before a refund is parked.
	MaxFailedRuns = 3
	// CallTimeout is how long Process X waits for Service A to answer one refund.
	CallTimeout = 12 * time.Second
)

// Refund is one payment that goes back to the person who paid.
type Refund struct {
	Number     string // also the idempotency key
	FailedRuns int
	Cents      int64
}

// Park tells whether a refund has failed too often and waits for the refund desk.
func Park(refund Refund) bool {
	return refund.FailedRuns >= MaxFailedRuns
}

// Batch returns the refunds of the next run, oldest first, and those to be parked.
func Batch(pending []Refund) (next, parked []Refund) {
	for _, refund := range pending {
		switch {
		case Park(refund):
			parked = append(parked, refund)
		case len(next) < BatchSize:
			next = append(next, refund)
		}
	}
	return next, parked
}
