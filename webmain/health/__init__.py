"""Whether crawls need a person: what their runs gave is compared with what is usual."""
