package main

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"holdfast/internal/cell"
	"holdfast/internal/db/dbtest"
)

func TestCitus_FourCellsOneOfWhichMoves_EachSlotIsSoldOnceAndOthersAreRefusedNothing(t *testing.T) {
	t.Parallel()
	nodes := dbtest.CitusNodes(t)
	var file, urls []string
	const cells = 4
	for i := range cells {
		urls = append(urls, dbtest.Database(t))
		file = append(file, fmt.Sprintf("eu%d", i+1), urls[i])
	}
	env := cellsFile(t, file...)
	servers := []*proc{startCells(t, newDir(t), env), startCells(t, newDir(t), env)}

	var shops [cells]shop
	sold := make([][]string, cells)
	for i := range cells {
		shops[i] = newShop(t, servers[0], cell.Header, file[2*i])
		var (
			rivals   sync.WaitGroup
			mu       sync.Mutex
			outcomes = map[string]int{}
		)
		for n := range 20 {
			rivals.Go(func() {
				a, err := shops[i].book(servers[n%len(servers)], fmt.Sprintf("rival-%d", n), slot(3, 10))
				mu.Lock()
				defer mu.Unlock()
				if err == nil && a.status == http.StatusCreated {
					sold[i] = append(sold[i], a.id())
				}
				outcomes[fmt.Sprint(err, " ", a.outcome())]++
			})
		}
		rivals.Wait()
		require.Equal(t, map[string]int{"<nil> 201": 1, "<nil> 409 slot_unavailable": 19}, outcomes, file[2*i])
	}

	clients := make([]*client, cells)
	for i, s := range shops {
		clients[i] = book(s, servers...)
		clients[i].awaitBookings(t, 10)
	}
	dbtest.MoveCitusSchema(t, nodes, urls[1])
	for _, c := range clients {
		c.awaitBookings(t, 10)
		close(c.stop)
	}
	for i, c := range clients {
		c.done.Wait()
		require.Empty(t, c.errs, file[2*i])
		t.Logf("%s: %d booked, refused %v", file[2*i], c.booked(), c.refused)
		if i != 1 {
			require.Empty(t, c.refused, "%s, whose schema stays", file[2*i])
		}
		for outcome := range c.refused {
			require.Contains(t, []string{"503 database_unavailable", "503 lock_timeout", "503 outcome_unknown"},
				outcome)
		}
		shops[i].requireSold(t, urls[i], append(c.ids, sold[i]...))
	}
	for _, p := range servers {
		p.stop(t)
	}
}
