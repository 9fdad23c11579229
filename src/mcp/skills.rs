//! Skills: texts that teach a host how to answer with these tools. They are embedded from `data/skills/` and listed with
//! the digest of every file.

use include_dir::{Dir, DirEntry, include_dir};
use rmcp::model::{
    Resource, ResourceContents, SKILL_MD, Skill, SkillFrontmatter, SkillResource, SkillResources,
};

static FILES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/data/skills");

const SCHEME: &str = "skill://";
const MARKDOWN: &str = "text/markdown";
const DIRECTORY: &str = "inode/directory";

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
    let resource = |skill: Skill| {
        Resource::new(skill.uri, skill.frontmatter.name)
            .with_mime_type(MARKDOWN)
            .with_description(skill.frontmatter.description)
    };
    all().into_iter().map(resource).collect()
}

/// Returns a file of a skill.
pub(super) fn read(uri: &str) -> Option<ResourceContents> {
    let file = FILES.get_file(uri.strip_prefix(SCHEME)?)?;
    let text = file.contents_utf8()?;
    Some(ResourceContents::text(text, uri).with_mime_type(MARKDOWN))
}

/// Returns the direct children of a directory, sorted by address; `None` if there is no such directory.
pub(super) fn directory(uri: &str) -> Option<Vec<Resource>> {
    let path = uri.strip_prefix(SCHEME)?.trim_end_matches('/');
    let dir = FILES.get_dir(path)?;
    let mut children: Vec<Resource> = dir.entries().iter().map(child).collect();
    children.sort_by(|a, b| a.uri.cmp(&b.uri));
    Some(children)
}

fn child(entry: &DirEntry<'_>) -> Resource {
    let name = entry.path().file_name().unwrap_or_default();
    let resource = Resource::new(uri(entry.path()), name.to_string_lossy());
    match entry {
        DirEntry::Dir(_) => resource.with_mime_type(DIRECTORY),
        DirEntry::File(file) => resource
            .with_mime_type(MARKDOWN)
            .with_size(file.contents().len() as u64),
    }
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
    fn directories_list_children_and_files_do_not() {
        let top = directory("skill://us-macro-data").unwrap();
        assert!(top.iter().any(Resource::is_directory));
        assert_eq!(directory("skill://us-macro-data/").unwrap(), top);
        assert!(directory("skill://us-macro-data/SKILL.md").is_none());
        assert!(directory("skill://../src").is_none());
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
                    assert!(econoscope_answers::Route::find(word).is_some(), "{word}");
                }
            }
        }
    }
}
