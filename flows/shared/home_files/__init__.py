"""Files that flows keep in the home: reports, golden questions, searches of trainings."""
