"""What a server keeps of its own, behind the ports of ``sextant.server_ports``."""
