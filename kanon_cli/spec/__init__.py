"""What a spec can say, and how a YAML file becomes one."""
