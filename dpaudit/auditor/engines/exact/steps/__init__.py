"""An algorithm's own steps run on symbols: which noise leads along which actions."""
