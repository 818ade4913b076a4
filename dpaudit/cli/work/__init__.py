"""Commands that compute: they sample, prove or check, and may write what they found."""
