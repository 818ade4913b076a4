"""Lower bounds on algorithms whose runs carry their exact privacy loss."""
