# fish completion for roster: roster completion fish > ~/.config/fish/completions/roster.fish
function __roster_complete
    set -l typed (commandline -opc)
    set -e typed[1]
    set -l current (commandline -ct)
    for line in (command roster __complete -- $typed "$current" 2>/dev/null)
        switch $line
            case :files
                set -l prefix (string match -r '^.*=' -- "$current")
                for path in (__fish_complete_path (string replace -r '^.*=' '' -- "$current"))
                    echo "$prefix$path"
                end
            case :end
            case '*'
                echo $line
        end
    end
end
complete -c roster -f -a '(__roster_complete)'
