package change

import "github.com/google/uuid"

// FeedQuery asks for the changes and notices after a position: at most Limit of them.
type FeedQuery struct {
	After Position
	// Types are patterns of LIKE; a change passes if one of them matches its type. None lets all pass.
	Types []string
	// Subject lets only changes of the subject pass; nil lets all pass.
	Subject *uuid.UUID
	Limit   int
}

// FeedPage is what a read of the feed found.
type FeedPage struct {
	Changes []Record
	// Next is the position up to which the feed was read: no change before it was left out, and none will appear there.
	Next Position
	// More says that there may be more changes after Next already.
	More bool
	// End is the position before which no change can appear any more, and Deleted the last change that was deleted for
	// its age, or Begin.
	End, Deleted Position
	// Epoch is another one once the positions of all changes were changed.
	Epoch uuid.UUID
}

// pageOf returns a page with what a read looked at.
func pageOf(ask FeedQuery, rows []feedRow, p FeedPage) FeedPage {
	p.Next, p.More = ask.After, len(rows) == ask.Limit
	for _, r := range rows {
		p.Next, p.More = Position{r.TransactionID, r.ChangeID}, p.More || r.Last
		if r.Passes {
			p.Changes = append(p.Changes, recordOf(r))
		}
	}
	if !p.More && p.Next.Compare(p.End) < 0 {
		p.Next = p.End
	}
	return p
}

func recordOf(r feedRow) Record {
	return Record{
		TenantID:      r.TenantID,
		TransactionID: r.TransactionID,
		ChangeID:      r.ChangeID,
		Type:          r.Type,
		SubjectType:   r.SubjectType,
		SubjectID:     r.SubjectID,
		Version:       r.Version,
		Notice:        r.Notice,
		ApiKeyID:      r.ApiKeyID,
		RequestID:     r.RequestID,
		OccurredAt:    r.OccurredAt,
		Data:          r.Data,
		Operator:      r.Operator,
		UserID:        r.UserID,
	}
}
