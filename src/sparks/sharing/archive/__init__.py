"""Photos to be taken home in one zip file, which is made while it is sent.

1. The photos are planned (`planning`): each gets a name (`naming`) and a slot, and with that the length of the whole
   is known. The plan is kept (`keeping`), so that every request for the archive is given the same bytes.
2. The bytes from here to there are made from the plan and the photos' own blobs (`reading`), in the form that `form`
   knows. What is found on the way of each entry, its checksum or that it is gone, is written down (`findings`), so that
   whoever goes on in the middle need not read it again.
"""
