# line.sh TEXT COMMAND...: runs COMMAND --prompt=TEXT, with a newline behind the text.
text=$1
shift
exec "$@" --prompt="$text
"
