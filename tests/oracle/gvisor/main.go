// gVisor's TCP sends packets over a line that loses the ones that it is asked to lose, on a clock set by hand. The receiver is scripted: it
// acknowledges each packet at once, with three SACK blocks, the newest first. For each case of cases.json, recovery and congestion control it
// prints one line: the packets in the order in which they went, when which ones went again, and how the window changed.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"gvisor.dev/gvisor/pkg/tcpip/transport/tcp"
)

// Case says what becomes of the packets, which are counted from 1. A packet that stands several times in the list is lost as many times; one that
// is late is so the first time, by microseconds.
type Case struct {
	Name string     `json:"name"`
	Lost []int      `json:"lost"`
	Late [][2]int64 `json:"late"`
}

// Table is the file of cases. Each packet takes the service time on the line and then the delay, an acknowledgement the delay alone.
type Table struct {
	Packets int    `json:"packets"`
	Service int64  `json:"service_us"`
	Delay   int64  `json:"delay_us"`
	Runs    []Way  `json:"runs"`
	Cases   []Case `json:"cases"`
}

// Way is how a sender finds losses and reacts, and the receiver's window in packets.
type Way struct {
	Recovery string `json:"recovery"`
	Control  string `json:"control"`
	Window   int    `json:"window"`
}

// Run is what one sender did. Times are in microseconds since the first packet. Of the windows those stand there at which the threshold changed
// or repair began or ended: time, window, threshold (-1 for none), and 1 while losses are repaired.
type Run struct {
	Case     string     `json:"case"`
	Recovery string     `json:"recovery"`
	Control  string     `json:"control"`
	Order    string     `json:"order"`
	Again    [][2]int64 `json:"again"`
	Windows  [][4]int64 `json:"windows"`
	Done     int64      `json:"done"`
}

// ranges writes 1, 2, 3, 7, 4 as "1-3 7 4".
func ranges(order []int) string {
	var text []string
	for i := 0; i < len(order); {
		j := i
		for j+1 < len(order) && order[j+1] == order[j]+1 {
			j++
		}
		if j > i {
			text = append(text, fmt.Sprintf("%d-%d", order[i], order[j]))
		} else {
			text = append(text, fmt.Sprint(order[i]))
		}
		i = j + 1
	}
	return strings.Join(text, " ")
}

func run(table Table, c Case, way Way) Run {
	r := Run{Case: c.Name, Recovery: way.Recovery, Control: way.Control, Again: [][2]int64{}, Windows: [][4]int64{}}
	l := newLine(table, c)
	p := newPath(l, way)
	p.connect()
	start := p.clock.Now()
	us := func() int64 { return int64(p.clock.Now().Sub(start) / time.Microsecond) }
	var order []int
	seen := map[int]bool{}
	p.onData = func(n int) {
		order = append(order, n)
		if seen[n] {
			r.Again = append(r.Again, [2]int64{us(), int64(n)})
		}
		seen[n] = true
	}
	last := [2]int64{-1, 0}
	p.onState = func(s *tcp.TCPEndpointState) {
		threshold := int64(s.Sender.Ssthresh)
		if threshold > 1<<30 {
			threshold = -1
		}
		repairing := int64(0)
		if s.Sender.FastRecovery.Active {
			repairing = 1
		}
		if now := [2]int64{threshold, repairing}; now != last {
			r.Windows = append(r.Windows, [4]int64{us(), int64(s.Sender.SndCwnd), threshold, repairing})
			last = now
		}
	}
	p.write(table.Packets)
	for i := 0; i < 60000 && p.next < uint32(table.Packets); i++ {
		p.clock.Advance(time.Millisecond)
	}
	if p.next < uint32(table.Packets) {
		panic(fmt.Sprintf("%s, %s, %s: only %d packets came", c.Name, way.Recovery, way.Control, p.next))
	}
	r.Done = p.completed.Sub(start).Microseconds()
	r.Order = ranges(order)
	return r
}

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	var table Table
	if err := json.Unmarshal(text, &table); err != nil {
		panic(err)
	}
	for _, c := range table.Cases {
		for _, way := range table.Runs {
			line, err := json.Marshal(run(table, c, way))
			if err != nil {
				panic(err)
			}
			fmt.Println(string(line))
		}
	}
}
