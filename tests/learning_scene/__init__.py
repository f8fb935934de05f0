"""What people asked, voted and labeled, recorded or simulated."""
