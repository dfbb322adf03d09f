"""What is known of what was said: episodes, entities, facts and who says them, with memory of branches."""
