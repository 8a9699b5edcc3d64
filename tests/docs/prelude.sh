# Sourced before the commands of a page: a `curl` that tells the test what each call was answered.

# Runs the real curl and writes to stderr: CALL, the line and the file of the call, the status, a file with the body.
curl() {
  local where="${BASH_LINENO[0]} ${BASH_SOURCE[1]}" body
  body=$(mktemp "$BODIES/XXXXXXXX")
  if [[ " $* " == *" -N "* ]]; then
    first_event "$@" | tee "$body"
    echo "CALL $where 200 $body" >&2
  else
    command curl -sS -w "%{stderr}CALL $where %{http_code} $body\n" "$@" | tee "$body"
  fi
}

# Prints a stream of events up to the first id, and ends it there, as a user does with Ctrl-C.
first_event() {
  local text="" stream pid
  exec {stream}< <(exec curl -sS --fail --max-time 60 "$@")
  pid=$!
  while IFS= read -r -u "$stream" text; do
    printf '%s\n' "$text"
    [[ $text == id:* ]] && break
  done
  exec {stream}<&-
  kill "$pid" || true
  [[ $text == id:* ]]
}

# The pages say that people appear some seconds after an upload. A test waits for workers, and does not wait longer.
wait_for_people() {
  until is_so '.counts.waiting + .counts.leased == 0' admin/jobs; do sleep 0.05; done
  until is_so .processedFaces admin/rebuild --json '{"mode": "incremental"}'; do sleep 0.05; done
  until is_so '.counts.waiting + .counts.leased == 0' admin/jobs; do sleep 0.05; done
}

wait_for_album_people() {
  until is_so '.persons != []' "albums/$ALBUM/persons?few=true"; do sleep 0.05; done
}

# The pages say that a change is found within a second.
wait_for_search() {
  until is_so '.images != []' "search?q=sea"; do sleep 0.05; done
}

# Asks the API beside the page; whether the answer is as this filter of jq says.
is_so() {
  command curl -s -H "Authorization: Bearer $TEST_KEY" "${@:3}" "http://$ADDRESS/api/$2" | jq -e "$1" >/dev/null
}
