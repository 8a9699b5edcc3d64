"""The real servers that the suites talk to, each started once a run, on 127.0.0.1 and a free port."""
