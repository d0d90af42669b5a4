"""The trio shell: storage, identity, links, lobby."""
