"""OpenCV face models (YuNet, SFace); all modules but `weights` and `engine_messages` run in the sandboxed child."""
