"""What people and machines read: result documents, and what is rendered from them."""
