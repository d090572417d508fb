"""What a release needs: the wheels, the checklist and the tag."""
