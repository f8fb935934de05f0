"""Labels, how they are made of what people did, and what each may weigh."""
