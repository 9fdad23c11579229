class Econoscope < Formula
  desc "@DESCRIPTION@"
  homepage "@HOMEPAGE@"
  version "@VERSION@"
  license "@LICENSE@"
  @PARTS@

  def install
    bin.install "econoscope"
    man1.install Dir["man/*.1"]
    bash_completion.install "completions/econoscope.bash" => "econoscope"
    zsh_completion.install "completions/_econoscope"
    fish_completion.install "completions/econoscope.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/econoscope --version")
    assert_match "10", shell_output("#{bin}/econoscope --store #{testpath}/e.db call get_metric ticker=10y")
  end
end
