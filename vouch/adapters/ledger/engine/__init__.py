"""The SQL database under the ledger: tables, migrations, connections, failures."""
