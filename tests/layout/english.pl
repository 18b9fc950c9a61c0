# Finds comments that begin with a headless clause, and private words in comments, in the messages of C++ sources (texts of
# several words in quotes) and in pages (.md): english.pl FILE...
# Prints FILE:LINE: finding. See "Contributing" for the rules.
use strict;
use warnings;

my $words = "(?:What|Of|Where|The same|That|Whether)\\b";
my $headless = qr{$words};
my $trailing = qr{(?:what|where|the same|that|whether)\b};  # behind a declaration "of …" completes its name
my $private = qr/\b(?:told|tells?|asks?|asked|owes?|wants?|wanted|knows|whoever|nobody|somebody|everybody|had better|as it stands|meets|looks|busy|careful)\b/i;

my $person = qr/\b(?:told|tells?|asks?|asked for|owes?|wants?|knows|says|goes on|gone on|whoever|nobody|somebody|everybody|had better|as it stands|looks)\b/i;

sub is_script { return $_[0] !~ /\.(?:cpp|hpp|cu|cuh)(?:\.in)?$/ }

# comment_of(FILE, LINE): the comment in a line; undef if there is none. Text in quotes is no comment.
sub comment_of {
  my ($file, $line) = @_;
  if (is_script($file)) {
    return $1 if $line =~ /^\s*#(?!!)\s*(.*)/;
    $line =~ s/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'//g;
    return $line =~ /\s#\s+(.*)/ ? $1 : undef;
  }
  return undef if $line =~ /^\s*#/;
  $line =~ s/"(?:[^"\\]|\\.)*"/""/g;
  return $line =~ m{//[/!]*<?\s*(.*)} ? $1 : undef;
}

my $found = 0;
for my $file (@ARGV) {
  open my $in, '<', $file or die "$file: $!\n";
  my ($goes_on, $raw, $in_doc, $in_text) = (0, 0, 0, 0);
  while (my $line = <$in>) {
    chomp $line;
    my $report = sub { print "$file:$.: $_[0]: $line\n"; $found = 1 };
    my ($text, $begins);
    if ($file =~ /\.md$/) {
      $report->("private word \"$&\"") if $line =~ $person;
      next;
    }
    if ($file !~ m{^(?:tests|bench)/} && $file =~ /\.(?:cpp|hpp)$/ && $line !~ /^\s*(?:#|\/\/)/) {
      while ($line =~ /"((?:[^"\\]|\\.)* (?:[^"\\]|\\.)*)"/g) {
        my $message = $1;
        $report->("private word \"$&\" in a message") if $message =~ $person;
      }
    }
    if ($file =~ /\.pyi?$/) {  # docstrings
      my $quotes = () = $line =~ /"""/g;
      if ($in_text || (!$in_doc && $quotes % 2 && $line !~ /^\s*[rf]?"""/)) {  # a text that is no docstring
        $in_text = !$in_text if $quotes % 2;
        next;
      }
      if (!$in_doc && $line =~ /^\s*[rf]?"""(.*)/) {
        ($text, $begins) = ($1, 1);
        $in_doc = $text !~ /"""/;
      } elsif ($in_doc) {
        $text = $line;
        $in_doc = 0 if $line =~ /"""/;
      }
    }
    if (!defined $text) {
      $raw = 1 if $line =~ /R"\w*\(/;
      $text = $raw ? undef : comment_of($file, $line);
      $raw = 0 if $raw && $line =~ /\)\w*"/;
      my $alone = $line =~ m{^\s*(?://|#)};
      $begins = defined $text && !($goes_on && $alone);
      $goes_on = defined $text && length $text && $alone;
    }
    next unless defined $text;
    $report->('headless clause')
      if ($begins && $text =~ /^(?:$headless|$trailing)/) || $text =~ /[.:;] $headless/;
    $report->("private word \"$&\"") if $text =~ $private;
  }
}
exit $found;
