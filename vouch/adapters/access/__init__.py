"""Access files and the directory: read strictly, and watched for edits."""
