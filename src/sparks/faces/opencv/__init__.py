"""YuNet finds faces, SFace tells them apart, OpenCV runs both. What is here runs in a jail, but for `weights`."""
