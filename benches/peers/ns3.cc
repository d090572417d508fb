// W1 to W4 in ns-3: ns3 WORKLOAD FLOWS SECONDS. Prints the packets that crossed the line.
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <iostream>
#include <string>

using namespace ns3;

static uint64_t g_packets = 0;

static void Count(Ptr<const Packet>) { ++g_packets; }

int main(int, char **argv) {
    const std::string work = argv[1];
    const uint32_t flows = std::stoul(argv[2]);
    const double seconds = std::stod(argv[3]);
    const bool tcp = work == "W2" || work == "W3";
    const bool fast = work == "W3" || work == "W4";
    // Headers: 8 of UDP or 32 of TCP with timestamps, 20 of IP, 2 of PPP.
    const uint32_t whole = work == "W3" ? 1500 : 1000;
    const uint32_t payload = whole - (tcp ? 54 : 30);
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpLinuxReno"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(payload));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(fast ? 1 << 28 : 1 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(fast ? 1 << 28 : 1 << 20));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));

    NodeContainer nodes;
    nodes.Create(2);
    PointToPointHelper line;
    line.SetDeviceAttribute("DataRate", StringValue(fast ? "1Gbps" : "10Mbps"));
    line.SetChannelAttribute("Delay", StringValue(work == "W2" ? "10ms" : work == "W3" ? "15ms" : "1ms"));
    line.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue(work == "W3" ? "2500p" : "64p"));
    NetDeviceContainer devices = line.Install(nodes);
    InternetStackHelper().Install(nodes);
    Ipv4AddressHelper address("10.0.0.0", "255.255.255.0");
    Ipv4InterfaceContainer ends = address.Assign(devices);
    // Only the device's own queue: first come, first served.
    TrafficControlHelper().Uninstall(devices);

    const std::string factory = tcp ? "ns3::TcpSocketFactory" : "ns3::UdpSocketFactory";
    Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
    for (uint32_t i = 0; i < flows; ++i) {
        const InetSocketAddress to(ends.GetAddress(1), 5000 + i);
        ApplicationContainer source, sink = PacketSinkHelper(factory, to).Install(nodes.Get(1));
        double start = 0.0;
        if (tcp) {
            BulkSendHelper bulk(factory, to);
            bulk.SetAttribute("SendSize", UintegerValue(payload));
            source = bulk.Install(nodes.Get(0));
        } else {
            const double rate = work == "W1" ? (i + 1) * 312500.0 : 2e9 / flows;
            UdpClientHelper cbr(to.GetIpv4(), to.GetPort());
            cbr.SetAttribute("PacketSize", UintegerValue(payload));
            cbr.SetAttribute("Interval", TimeValue(Seconds(8000.0 / rate)));
            cbr.SetAttribute("MaxPackets", UintegerValue(0xffffffff));
            source = cbr.Install(nodes.Get(0));
            start = work == "W1" ? 0.0 : random->GetValue(0.0, 8000.0 / rate);
        }
        source.Start(Seconds(start));
        sink.Start(Seconds(0.0));
    }
    devices.Get(1)->TraceConnectWithoutContext("MacRx", MakeCallback(&Count));
    Simulator::Stop(Seconds(seconds));
    Simulator::Run();
    std::cout << g_packets << std::endl;
    Simulator::Destroy();
}
