"""The few right tools out of thousands: which there are, which fit a request, what is learnt."""
