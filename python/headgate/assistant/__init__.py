"""The server of `headgate mcp`: what an assistant may ask of headgate, over the Model Context Protocol.

`tools` has a file for each tool, `server` hands calls to them, and `answers` is the form of what they say. A tool calls the functions
that the command of its name calls.
"""
