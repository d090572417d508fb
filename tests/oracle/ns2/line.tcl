# A UDP flow beside TCP flows on one line, in ns-2: ns line.tcl SEED SCENARIO SCHEME FLAVOUR [CLASS VARIABLE VALUE]...
# Prints how many packets of the UDP flow arrived, of how many that it sent, and how many of all TCP flows were acknowledged.
# tests/oracle/README.md says what for.
foreach {seed scenario scheme flavour} $argv break

# TCP with the defaults of 1998, which ns-2.35 still has as options. Its own are younger; its change log has the dates.
Agent/TCP set rtxcur_init_ 6.0
Agent/TCP set minrto_ 0
Agent/TCP set tcpTick_ 0.1
Agent/TCP set rfc2988_ false
Agent/TCP set updated_rttvar_ false
Agent/TCP set timerfix_ false
Agent/TCP set bugFix_timer_ false
Agent/TCP set precisionReduce_ false
Agent/TCP set useHeaders_ false
Agent/TCP set windowInit_ 1
Agent/TCP set syn_ false
Agent/TCP set delay_growth_ false
Agent/TCP set singledup_ 0
Agent/TCP set SetCWRonRetransmit_ false
Agent/TCPSink set SYN_immediate_ack_ false
Agent/TCP set window_ 20
Agent/TCP set packetSize_ 1000
Agent/UDP set packetSize_ 1000
Queue set limit_ 64
Queue/DRR set buckets_ 64
Queue/DRR set blimit_ 64000
Queue/DRR set quantum_ 1000
Queue/RED set bytes_ false
Queue/RED set queue_in_bytes_ false
Queue/RED set gentle_ false
Queue/RED set thresh_ 16
Queue/RED set maxthresh_ 32
Queue/RED set q_weight_ 0.002
Queue/RED set linterm_ 10
Queue/RED set mean_pktsize_ 500
Queue/RED set adaptive_ 0
Queue/RED set wait_ [expr {$scheme eq "RED-wait"}]
foreach {class name value} [lrange $argv 4 end] {
    $class set $name $value
}

set ns [new Simulator]
set rng [new RNG]
$rng seed $seed
ns-random $seed
foreach {count duration} [dict get {figure-3b {31 10.0} table-1 {19 100.0}} $scenario] break

set left [$ns node]
set right [$ns node]
$ns simplex-link $left $right 10Mb 1ms [dict get {DRR DRR RED RED RED-wait RED FIFO DropTail} $scheme]
$ns simplex-link $right $left 10Mb 1ms DropTail
$ns queue-limit $right $left 10000

# A source of its own for each flow: DRR tells flows apart by the source's address.
proc attach {agent sink} {
    global ns left right
    set from [$ns node]
    set to [$ns node]
    foreach {a b} [list $from $left $right $to] {
        $ns duplex-link $a $b 1000Mb 0ms DropTail
        $ns queue-limit $a $b 10000
        $ns queue-limit $b $a 10000
    }
    $ns attach-agent $from $agent
    $ns attach-agent $to $sink
    $ns connect $agent $sink
}

set udp [new Agent/UDP]
set counter [new Agent/LossMonitor]
attach $udp $counter
if {$scenario eq "figure-3b"} {
    set traffic [new Application/Traffic/CBR]
    $traffic set random_ 1
} else {
    set traffic [new Application/Traffic/Exponential]
    $traffic set burst_time_ 100ms
    $traffic set idle_time_ 1900ms
}
$traffic set packetSize_ 1000
$traffic set rate_ 10Mb
$traffic attach-agent $udp
$ns at [$rng uniform 0 0.1] "$traffic start"

set kinds {tahoe {TCP TCPSink} reno {TCP/Reno TCPSink} newreno {TCP/Newreno TCPSink} sack {TCP/Sack1 TCPSink/Sack1}}
foreach {sender receiver} [dict get $kinds $flavour] break
for {set i 0} {$i < $count} {incr i} {
    set tcp($i) [new Agent/$sender]
    attach $tcp($i) [new Agent/$receiver]
    set ftp [new Application/FTP]
    $ftp attach-agent $tcp($i)
    $ns at [$rng uniform 0 0.1] "$ftp start"
}

proc finish {} {
    global counter tcp count
    set acknowledged 0
    for {set i 0} {$i < $count} {incr i} {
        set acknowledged [expr {$acknowledged + [$tcp($i) set ack_] + 1}]
    }
    set got [$counter set npkts_]
    puts "$got [expr {$got + [$counter set nlost_]}] $acknowledged"
    exit 0
}
$ns at $duration finish
$ns run
