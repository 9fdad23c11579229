# Installs a formula as Homebrew's own words say, without Homebrew: the archive comes from a folder, its digest is
# checked, and what is installed lies below PREFIX. Knows no more of the language than our formula speaks.
#   ruby brew.rb FORMULA FOLDER PREFIX
require "digest"
require "fileutils"
require "pathname"
require "tmpdir"

FOLDER, PREFIX = Pathname(ARGV[1]), Pathname(ARGV[2])

class Place < Pathname
  def install(*what)
    mkpath
    what.flatten.each do |one|
      pairs = one.is_a?(Hash) ? one : { one => File.basename(one) }
      pairs.each { |from, to| FileUtils.cp(from, self / to) }
    end
  end
end

class Formula
  class << self
    attr_reader :wanted, :tested
    def desc(text) = (raise "desc is too long" if text.length > 80)
    def homepage(_) = nil
    def license(_) = nil
    def version(text = nil) = text ? @version = text : @version
    def on_linux = yield
    def on_macos = nil
    def on_intel = yield
    def on_arm = nil
    def url(text) = @wanted = { url: text }
    def sha256(text) = @wanted[:sha256] = text
    def test(&block) = @tested = block
  end
  def version = self.class.version
  def bin = Place.new(PREFIX / "bin")
  def man1 = Place.new(PREFIX / "share/man/man1")
  def bash_completion = Place.new(PREFIX / "etc/bash_completion.d")
  def zsh_completion = Place.new(PREFIX / "share/zsh/site-functions")
  def fish_completion = Place.new(PREFIX / "share/fish/vendor_completions.d")
  def testpath = Pathname(Dir.mktmpdir)
  def shell_output(command) = `#{command}`.tap { raise "#{command} failed" unless $?.success? }
  def assert_match(wanted, text) = (raise "#{wanted} is not in #{text}" unless text.include?(wanted))
end

load ARGV[0]
archive = FOLDER / File.basename(Econoscope.wanted[:url])
raise "the digest is not that of #{archive}" unless Digest::SHA256.file(archive).hexdigest == Econoscope.wanted[:sha256]
Dir.mktmpdir do |work|
  system("tar", "-xzf", archive.to_s, "-C", work, "--strip-components=1", exception: true)
  Dir.chdir(work) { Econoscope.new.install }
end
Econoscope.new.instance_eval(&Econoscope.tested)
