//! Skills: texts that teach a host how to answer with these tools. They are embedded from `data/skills/` and listed with
//! the digest of every file.

use include_dir::{Dir, include_dir};
use rmcp::model::{
    Resource, ResourceContents, SKILL_MD, Skill, SkillFrontmatter, SkillResource, SkillResources,
};

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/data/skills");

const SCHEME: &str = "skill://";
const MARKDOWN: &str = "text/markdown";

/// Returns every skill. A directory without a readable `SKILL.md` is skipped; a test rules that out.
pub(super) fn all() -> Vec<Skill> {
    FILES.dirs().filter_map(skill).collect()
}

fn skill(dir: &Dir<'_>) -> Option<Skill> {
    let main = dir.get_file(dir.path().join(SKILL_MD))?;
    let front = frontmatter(main.contents_utf8()?)?;
    let mut files = Vec::new();
    collect_files(dir, &mut files);
    let files = SkillResources::Files(files);
    Some(Skill::new(uri(main.path()), front, files))
}

fn collect_files(dir: &Dir<'_>, files: &mut Vec<SkillResource>) {
    let direct = dir.files();
    files.extend(direct.map(|f| SkillResource::from_bytes(uri(f.path()), f.contents())));
    dir.dirs().for_each(|d| collect_files(d, files));
}

/// Parses the lines `key: value` between the first two `---`. All values are plain text.
fn frontmatter(text: &str) -> Option<SkillFrontmatter> {
    let (head, _) = text.strip_prefix("---\n")?.split_once("\n---\n")?;
    let field = |name: &str| {
        let mut fields = head.lines().filter_map(|l| l.split_once(": "));
        let (_, value) = fields.find(|(key, _)| *key == name)?;
        Some(value.trim())
    };
    let front = SkillFrontmatter::new(field("name")?, field("description")?);
    Some(match field("license") {
        Some(license) => front.with_field("license", license),
        None => front,
    })
}

fn uri(path: &std::path::Path) -> String {
    format!("{SCHEME}{}", path.display())
}

/// Returns the `SKILL.md` files as resources, named and described by their front matter.
pub(super) fn files() -> Vec<Resource> {
    all()
        .into_iter()
        .map(|s| {
            Resource::new(s.uri.clone(), s.frontmatter.name.clone())
                .with_mime_type(MARKDOWN)
                .with_description(s.frontmatter.description.clone())
        })
        .collect()
}

/// Returns a file of a skill.
pub(super) fn read(uri: &str) -> Option<ResourceContents> {
    let file = FILES.get_file(uri.strip_prefix(SCHEME)?)?;
    let text = file.contents_utf8()?;
    Some(ResourceContents::text(text, uri).with_mime_type(MARKDOWN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::validate_skills;

    #[test]
    fn skills_are_valid_and_files_match_their_digests() {
        let skills = all();
        assert_eq!(skills.len(), FILES.dirs().count());
        validate_skills(&skills).unwrap();
        for skill in &skills {
            let SkillResources::Files(files) = &skill.resources else {
                panic!("no digests")
            };
            assert!(files.len() >= 2);
            for file in files {
                let Some(ResourceContents::TextResourceContents { text, .. }) = read(&file.uri)
                else {
                    panic!("{} cannot be read", file.uri)
                };
                file.verify(text.as_bytes()).unwrap();
            }
        }
    }

    #[test]
    fn only_files_of_skills_are_read() {
        assert!(read("skill://us-macro-data/../../Cargo.toml").is_none());
    }

    #[test]
    fn skills_name_only_tools_that_exist() {
        for skill in all() {
            let Some(ResourceContents::TextResourceContents { text, .. }) = read(&skill.uri) else {
                panic!("unreadable")
            };
            for word in text.split(|c: char| !(c.is_ascii_lowercase() || c == '_')) {
                if word.starts_with("get_") || word.starts_with("list_") {
                    assert!(
                        econoscope_answers::endpoints::Route::find(word).is_some(),
                        "{word}"
                    );
                }
            }
        }
    }
}
