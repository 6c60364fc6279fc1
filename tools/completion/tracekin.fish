# SPDX-License-Identifier: Apache-2.0
# Completion of tracekin(1) for fish. The program itself provides the completions:
# tools/completion.h.

function __tracekin_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in (command $words[1] __complete $words[2..-1] 2>/dev/null)
        switch $line
            case ':folder'
                __fish_complete_directories (commandline -ct)
            case ':file' ':command'
                __fish_complete_path (commandline -ct)
            case '*'
                echo $line
        end
    end
    return 0
end
complete -c tracekin -f -a '(__tracekin_complete)'
