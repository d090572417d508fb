"""Words of a line that say nothing of their own."""

from __future__ import annotations

#: They are left out where no other reading has them.
FILLERS = frozenset(
    {
        "&", "+", "-", "/", "a", "against", "against:", "alone", "also", "an", "and", "another", "any", "anyone", "are", "as", "at",
        "bad", "badly", "be", "beat", "beats", "behind", "beside", "between", "bloat", "both", "bottleneck", "broadband",
        "bufferbloat", "by", "can", "cause", "causes", "clients", "coexist", "compare", "compared", "comparison", "compete",
        "competes", "competing", "connected", "connection", "connections", "contention", "could", "did", "do", "does", "dominate",
        "dominates", "during", "each", "else", "everybody", "everyone", "fair", "fairness",
        "flent", "flow", "flows", "for", "friendly", "from",
        "gateway", "get", "gets", "got", "happen", "happens", "has", "have", "headgate", "help", "helps", "hog", "hogs", "household",
        "how", "hurt", "hurts", "i", "if", "in", "internet", "is", "isp", "it", "its", "just", "lag", "lagging", "laggy", "lags",
        "laptop", "like", "line", "link", "make", "makes", "me", "mean", "mine", "modem", "my", "need", "netem", "network", "of", "on",
        "one's", "only", "our", "over", "parallel", "path", "pc", "people", "ping's", "players", "playing", "please", "plus",
        "provider", "quick", "router", "run", "run:", "running", "same", "see", "send", "sending", "sends", "server", "servers",
        "share", "shared", "sharing", "should", "show", "simulate", "so", "some", "somebody", "someone", "starts", "starve", "starved",
        "starves", "still", "stream", "streams", "students", "tcp", "tell", "test", "that", "the", "there", "this", "through", "to",
        "together", "under", "unfairness", "use", "used", "users", "uses", "using", "versus", "via", "vs", "vs.", "vs:", "wan", "want",
        "watching", "what", "when", "whether", "which", "while", "who", "why", "will", "win", "wins", "with", "would", "yield",
        "yielding", "yields", "your", "|",
    }
)  # fmt: skip
