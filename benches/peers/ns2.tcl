# W1 to W4 in ns-2: ns ns2.tcl WORKLOAD FLOWS SECONDS. Prints the packets that crossed the line.
lassign $argv work flows seconds
remove-all-packet-headers
add-packet-header IP TCP Flags RTP
set ns [new Simulator]
set a [$ns node]
set b [$ns node]
switch $work {
    W1 { set line {10Mb 1ms 64} }
    W2 { set line {10Mb 10ms 64} }
    W3 { set line {1Gb 15ms 2500} }
    W4 { set line {1Gb 1ms 64} }
}
lassign $line rate delay limit
$ns duplex-link $a $b $rate $delay DropTail
$ns queue-limit $a $b $limit
set agents {}
for {set i 0} {$i < $flows} {incr i} {
    if {$work eq "W1" || $work eq "W4"} {
        set source [new Agent/UDP]
        $source set packetSize_ 1000
        set sink [new Agent/LossMonitor]
        set load [new Application/Traffic/CBR]
        $load set packetSize_ 1000
        $load set random_ 0
        $load set rate_ [expr {$work eq "W1" ? ($i + 1) * 312500.0 : 2e9 / $flows}]
        set start [expr {$work eq "W1" ? 0.0 : rand() * 8000.0 * $flows / 2e9}]
    } else {
        # The packet size of ns-2's TCP is without the header of 40 bytes.
        set source [new Agent/TCP/Reno]
        $source set packetSize_ [expr {$work eq "W2" ? 960 : 1460}]
        $source set window_ [expr {$work eq "W2" ? 1000 : 100000}]
        set sink [new Agent/TCPSink]
        set load [new Application/FTP]
        set start 0.0
    }
    $ns attach-agent $a $source
    $ns attach-agent $b $sink
    $ns connect $source $sink
    $load attach-agent $source
    $ns at $start "$load start"
    lappend agents [list $source $sink]
}
$ns at $seconds finish
proc finish {} {
    global agents work
    set packets 0
    foreach pair $agents {
        lassign $pair source sink
        incr packets [expr {int($work eq "W1" || $work eq "W4" ? [$sink set npkts_] : [$source set ack_])}]
    }
    puts $packets
    exit 0
}
$ns run
